package dev.slate.runsc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads and removes the state files that {@code runsc} keeps under its {@code --root}.
 *
 * <p>{@code runsc state} and {@code runsc list} answer from the same files but cost 35 ms a call, and {@code runsc
 * delete} 1.6 s, so the platform does both by itself. A process is believed to be a container's only when its command
 * line says so: numbers are given out again, and state files outlive a reboot.
 */
final class RunscState {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SUFFIX = ".state";

    private final Path root;

    RunscState(Path root) {
        this.root = root;
    }

    /** Every container that has state here, running or not. */
    List<ContainerId> ids() {
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        List<ContainerId> ids = new ArrayList<>();
        try (Stream<Path> files = Files.list(root)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                int colon = name.indexOf(':');
                if (name.endsWith(SUFFIX) && colon >= 0) {
                    ids.add(new ContainerId(name.substring(colon + 1, name.length() - SUFFIX.length())));
                }
            }
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
        return ids;
    }

    /** The processes of a container whose sentry runs. */
    Optional<RunningContainer> find(ContainerId id) {
        Path file = stateFile(id, SUFFIX);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            JsonNode state = JSON.readTree(Files.readAllBytes(file));
            Optional<ProcessIdentity> sentry =
                    process(state.path("sandbox").path("pid").asLong(), "runsc-sandbox");
            Optional<ProcessIdentity> gofer = process(state.path("goferPid").asLong(), "runsc-gofer");
            return sentry.map(found -> new RunningContainer(id, found, gofer.orElse(found)));
        } catch (IOException e) {
            throw new RunscException("state of " + id + ": " + file + " cannot be read", e);
        }
    }

    /** Forgets a container whose processes have ended. */
    void remove(ContainerId id) {
        Path file = stateFile(id, SUFFIX);
        try {
            if (Files.exists(file)) {
                // It lies elsewhere when the path of the root is too long for a socket.
                String socket = JSON.readTree(Files.readAllBytes(file))
                        .path("controlSocketPath")
                        .asText();
                if (socket.endsWith("/runsc-" + id + ".sock")) {
                    Files.deleteIfExists(Path.of(socket));
                }
            }
            Files.deleteIfExists(file);
            Files.deleteIfExists(stateFile(id, ".lock"));
        } catch (IOException e) {
            throw new RunscException("state of " + id + ": cannot be removed", e);
        }
    }

    private Optional<ProcessIdentity> process(long pid, String name) {
        return ProcessIdentity.of(pid).filter(process -> {
            List<String> line = process.commandLine();
            return line.size() > 1 && line.getFirst().equals(name) && line.contains("--root=" + root);
        });
    }

    private Path stateFile(ContainerId id, String suffix) {
        return root.resolve(id + "_sandbox:" + id + suffix);
    }
}
