package dev.slate.runsc;

import java.nio.file.Path;

/** Where one installation keeps its files, and what its kernel objects are called. */
public record HostLayout(Path home, InstanceTag tag) {

    public static HostLayout of(Path home) {
        Path absolute = home.toAbsolutePath().normalize();
        return new HostLayout(absolute, InstanceTag.of(absolute));
    }

    /** The folder of everything this library writes. */
    public Path runscHome() {
        return home.resolve("runsc");
    }

    /** The state folder of {@code runsc}: its {@code --root}. */
    public Path stateRoot() {
        return runscHome().resolve("state");
    }

    /** The OCI bundle and the logs of one container. */
    public Path bundle(ContainerId id) {
        return bundles().resolve(id.value());
    }

    Path bundles() {
        return runscHome().resolve("bundles");
    }

    /** An empty folder to hide a host folder behind. */
    Path emptyFolder() {
        return runscHome().resolve("empty");
    }

    /** The group that holds one group per container, under the root of each controller. */
    public String cgroupParent() {
        return "slate-" + tag.value();
    }

    /** The nftables table, in the family {@code inet}. */
    public String nftTable() {
        return "slate_" + tag.value();
    }

    /** What the host ends of all sandbox links begin with. */
    public String interfacePrefix() {
        return "sl" + tag.value();
    }

    /** What the names of all sandbox network namespaces begin with. */
    public String namespacePrefix() {
        return "slate-" + tag.value() + "-";
    }

    /** Firewall mark and routing table of this installation; the low bits stay clear of those other software uses. */
    long routingMark() {
        return ((long) tag.number() << 16) | 0x51;
    }
}
