package dev.slate.runsc.doctor;

import static dev.slate.runsc.doctor.DoctorCheck.ill;
import static dev.slate.runsc.doctor.DoctorCheck.well;

import dev.slate.runsc.Cgroups;
import dev.slate.runsc.Completion;
import dev.slate.runsc.ContainerId;
import dev.slate.runsc.ContainerSpec;
import dev.slate.runsc.HostLayout;
import dev.slate.runsc.NetworkSettings;
import dev.slate.runsc.RootWrites;
import dev.slate.runsc.Runsc;
import dev.slate.runsc.RunscBinary;
import dev.slate.runsc.RunscException;
import dev.slate.runsc.SandboxNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Looks at the host the way the platform will use it: what can be tried is tried, in an installation of its own that is
 * removed afterwards.
 */
public final class Doctor {

    private static final long ENOUGH_SPACE = 10L << 30;
    private static final Set<String> CONTROLLERS = Set.of("cpu", "memory", "pids");

    private final Path home;

    public Doctor(Path home) {
        this.home = home;
    }

    /** Every check in turn, without starting anything: well below a second. */
    public List<DoctorCheck> checks() {
        List<DoctorCheck> checks = new ArrayList<>();
        checks.add(root());
        checks.add(runsc());
        checks.add(program("nft", "Install the package nftables."));
        checks.add(program("ip", "Install the package iproute2."));
        checks.add(overlay());
        checks.add(controlGroups());
        checks.add(program("mmdebstrap", "Install the package mmdebstrap, or set a base image in a registry."));
        checks.add(disk());
        return checks;
    }

    /** As {@link #checks}, and really starts a container and closes a network. */
    public List<DoctorCheck> thoroughChecks() {
        List<DoctorCheck> checks = new ArrayList<>(checks());
        if (root().ok()) {
            checks.add(container());
            checks.add(network());
        }
        return checks;
    }

    private static DoctorCheck root() {
        String user = ProcessHandle.current().info().user().orElse("unknown");
        return user.equals("root")
                ? well("root", "runs as root")
                : ill("root", "runs as " + user, "Run as root: sandboxes need namespaces, mounts and a firewall.");
    }

    private static DoctorCheck runsc() {
        try {
            RunscBinary binary = RunscBinary.find();
            return well("runsc", binary.path() + ", version " + binary.version());
        } catch (RunscException e) {
            return ill("runsc", e.getMessage(), "Install gVisor: Debian 12 has it in bookworm-backports.");
        }
    }

    private static DoctorCheck program(String name, String remedy) {
        return Stream.of("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin")
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst()
                .map(path -> well(name, path.toString()))
                .orElseGet(() -> ill(name, "not found", remedy));
    }

    private static DoctorCheck overlay() {
        try {
            boolean known = Files.readAllLines(Path.of("/proc/filesystems")).contains("nodev\toverlay");
            return known
                    ? well("overlayfs", "in the kernel")
                    : ill("overlayfs", "not in /proc/filesystems", "Load the kernel module: modprobe overlay.");
        } catch (IOException e) {
            return ill("overlayfs", e.toString(), "Mount /proc.");
        }
    }

    private DoctorCheck controlGroups() {
        Set<String> found = new Cgroups(HostLayout.of(home)).controllers();
        Set<String> missing = new TreeSet<>(CONTROLLERS);
        missing.removeAll(found);
        return missing.isEmpty()
                ? well("cgroups", String.join(", ", new TreeSet<>(found)))
                : ill(
                        "cgroups",
                        "missing: " + missing,
                        "Mount the control groups, version 1 or 2, with these controllers.");
    }

    private DoctorCheck disk() {
        Path existing = home.toAbsolutePath();
        while (!Files.exists(existing)) {
            existing = existing.resolve("..").normalize();
        }
        try {
            long free = Files.getFileStore(existing).getUsableSpace();
            String detail = (free >> 30) + " GiB free at " + existing;
            return free >= ENOUGH_SPACE
                    ? well("disk", detail)
                    : ill("disk", detail, "Free at least " + (ENOUGH_SPACE >> 30) + " GiB, or move SLATE_HOME.");
        } catch (IOException e) {
            return ill("disk", e.toString(), "Choose another SLATE_HOME.");
        }
    }

    private DoctorCheck container() {
        HostLayout layout = HostLayout.of(home.resolve("doctor"));
        ContainerId id = new ContainerId("doctor");
        ContainerSpec spec = ContainerSpec.of(id, Path.of("/"), List.of("/bin/true"))
                .rootWrites(new RootWrites.ToMemory())
                .build();
        try {
            Runsc runsc = Runsc.open(layout, RunscBinary.find());
            runsc.destroy(id);
            Completion completion = runsc.run(spec, (source, bytes) -> {}).await(Duration.ofSeconds(30));
            return completion.equals(new Completion.Exited(0))
                    ? well("container", "/bin/true ran under systrap")
                    : ill("container", "/bin/true: " + completion, "Look at " + layout.runscHome() + ".");
        } catch (RunscException e) {
            return ill("container", e.getMessage(), "See the message; newer builds of gVisor may help.");
        } finally {
            new Cgroups(layout).removeAll();
        }
    }

    private DoctorCheck network() {
        HostLayout layout = HostLayout.of(home.resolve("doctor"));
        NetworkSettings settings =
                new NetworkSettings(NetworkSettings.DEFAULT_SUBNET, 1, 1, 0, NetworkSettings.DEFAULT_QUARANTINE);
        // With no proxy on these ports nothing gets through: only that it can be built is looked at.
        try (SandboxNetwork network = SandboxNetwork.open(layout, settings, Set.of())) {
            network.release(network.acquire());
            return well("network", "namespace, veth, nftables with tproxy, policy routing");
        } catch (RunscException e) {
            return ill("network", e.getMessage(), "The kernel needs veth, nf_tables, nft_tproxy and nft_nat.");
        } finally {
            SandboxNetwork.tearDown(layout);
        }
    }
}
