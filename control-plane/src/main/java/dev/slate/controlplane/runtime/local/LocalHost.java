package dev.slate.controlplane.runtime.local;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.runtime.Resources;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.runsc.Cgroups;
import dev.slate.runsc.ContainerId;
import dev.slate.runsc.HostLayout;
import dev.slate.runsc.NetworkSettings;
import dev.slate.runsc.ResourceLimits;
import dev.slate.runsc.Runsc;
import dev.slate.runsc.RunscBinary;
import dev.slate.runsc.RunscException;
import dev.slate.runsc.SandboxNetwork;
import dev.slate.runsc.Subnet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What this machine gives to sandboxes: gVisor, networks, and limits. Thread-safe. */
record LocalHost(
        Runsc runsc, Cgroups groups, SandboxNetwork network, Optional<String> missingLimits, long memoryBytes) {
    private static final Path MEMORY = Path.of("/proc/meminfo");

    /** Opens gVisor and the networks; those of sandboxes that still run are kept. */
    static LocalHost open(HostLayout layout, NetworkConfig config) {
        Runsc runsc = Runsc.open(layout, RunscBinary.find());
        Set<SandboxId> running = runsc.list().stream()
                .flatMap(container -> SandboxFolder.sandboxOf(container.id()).stream())
                .collect(Collectors.toUnmodifiableSet());
        NetworkSettings settings = new NetworkSettings(
                Subnet.parse(config.subnet()),
                config.dnsPort(),
                config.proxyPort(),
                config.warmSlots(),
                config.quarantine());
        SandboxNetwork network = SandboxNetwork.open(layout, settings, slots(layout.home(), running));
        Cgroups groups = new Cgroups(layout);
        return new LocalHost(runsc, groups, network, probeLimits(layout, groups), readMemory());
    }

    /** Refuses what the kernel of this machine does not enforce or cannot give. */
    void check(Resources resources) {
        missingLimits.ifPresent(missing -> {
            throw new PlatformException(ErrorCode.UNSUPPORTED, "limits cannot be enforced here: " + missing);
        });
        if (resources.memoryBytes() > memoryBytes) {
            throw new PlatformException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "memory: %d bytes (expected: at most %d, all that this machine has)"
                            .formatted(resources.memoryBytes(), memoryBytes));
        }
    }

    /** The slots of running sandboxes; opening the network removes all others, so they are forgotten. */
    private static Set<Integer> slots(Path home, Set<SandboxId> running) {
        Set<Integer> slots = new HashSet<>();
        for (SandboxId id : SandboxFolder.ids(home)) {
            SandboxFolder folder = SandboxFolder.of(home, id);
            if (running.contains(id)) {
                folder.slot().ifPresent(slots::add);
            } else {
                folder.forgetSlot();
            }
        }
        return slots;
    }

    private static Optional<String> probeLimits(HostLayout layout, Cgroups groups) {
        ContainerId probe = new ContainerId("probe-limits-" + layout.tag().value());
        Resources usual = Resources.DEFAULT;
        try {
            groups.create(probe, new ResourceLimits(usual.cpuMillis(), usual.memoryBytes(), usual.pids()));
            return Optional.empty();
        } catch (RunscException missing) {
            return Optional.of(String.valueOf(missing.getMessage()));
        } finally {
            groups.remove(probe);
        }
    }

    private static long readMemory() {
        try {
            return Files.readAllLines(MEMORY).stream()
                    .filter(line -> line.startsWith("MemTotal:"))
                    .map(line -> line.replaceAll("[^0-9]", ""))
                    .mapToLong(Long::parseLong)
                    .map(kibibytes -> kibibytes << 10)
                    .findFirst()
                    .orElseThrow();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
