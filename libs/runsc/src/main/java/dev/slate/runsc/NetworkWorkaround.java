package dev.slate.runsc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * Knows whether this build of {@code runsc} takes every network namespace of this kernel for the host's.
 *
 * <p>Since about Linux 6.11 {@code net.core.rmem_default} shows in every network namespace, by which older builds
 * recognise the root namespace. They refuse to start; hiding {@code /proc/sys/net} from them helps. The symptom
 * decides, never a version number, and the finding is kept per build and kernel.
 */
final class NetworkWorkaround {

    private static final String SYMPTOM = "cannot run with network enabled in root network namespace";

    private final Path file;
    private final String host;

    NetworkWorkaround(HostLayout layout, RunscBinary binary) throws IOException {
        file = layout.runscHome().resolve("network-workaround");
        host = binary.version() + " "
                + Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip() + " ";
    }

    /** Whether to hide {@code /proc/sys/net}; the first call on a host runs the probe, which answers its failure. */
    synchronized boolean needed(Supplier<String> probe) {
        try {
            String known = Files.exists(file) ? Files.readString(file) : "";
            if (!known.startsWith(host)) {
                known = host + probe.get().contains(SYMPTOM);
                Files.writeString(file, known);
            }
            return Boolean.parseBoolean(known.substring(host.length()));
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
    }
}
