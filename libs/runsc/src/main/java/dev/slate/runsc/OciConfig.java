package dev.slate.runsc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Writes the {@code config.json} of an OCI bundle. */
final class OciConfig {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Docker's default set without raw sockets; gVisor has no use for the ones that configure networks. */
    private static final List<String> CAPABILITIES = List.of(
            "CAP_AUDIT_WRITE",
            "CAP_CHOWN",
            "CAP_DAC_OVERRIDE",
            "CAP_FOWNER",
            "CAP_FSETID",
            "CAP_KILL",
            "CAP_MKNOD",
            "CAP_NET_BIND_SERVICE",
            "CAP_SETFCAP",
            "CAP_SETGID",
            "CAP_SETPCAP",
            "CAP_SETUID",
            "CAP_SYS_CHROOT");

    private OciConfig() {}

    static byte[] render(ContainerSpec spec, List<BindMount> mounts) {
        ObjectNode config = JSON.createObjectNode().put("ociVersion", "1.0.2").put("hostname", spec.hostname());
        config.putObject("root").put("path", spec.rootfs().toString()).put("readonly", false);
        addProcess(config.putObject("process"), spec);
        addMounts(config.putArray("mounts"), mounts);
        addNamespaces(config.putObject("linux").putArray("namespaces"), spec.network());
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(config);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of strings and numbers is always writable", e);
        }
    }

    private static void addProcess(ObjectNode process, ContainerSpec spec) {
        process.put("terminal", false)
                .put("cwd", spec.workingDirectory())
                .put("noNewPrivileges", spec.noNewPrivileges());
        ObjectNode user = process.putObject("user")
                .put("uid", spec.user().uid())
                .put("gid", spec.user().gid());
        ArrayNode groups = user.putArray("additionalGids");
        spec.user().additionalGids().forEach(groups::add);
        ArrayNode arguments = process.putArray("args");
        spec.arguments().forEach(arguments::add);
        ArrayNode environment = process.putArray("env");
        spec.environment().forEach((name, value) -> environment.add(name + "=" + value));
        ObjectNode capabilities = process.putObject("capabilities");
        List<String> granted = spec.user().uid() == 0 ? CAPABILITIES : List.of();
        addAll(capabilities.putArray("bounding"), CAPABILITIES);
        addAll(capabilities.putArray("effective"), granted);
        addAll(capabilities.putArray("permitted"), granted);
    }

    private static void addMounts(ArrayNode mounts, List<BindMount> bindMounts) {
        addMount(mounts, "/proc", "proc", "proc", List.of());
        addMount(mounts, "/dev", "tmpfs", "tmpfs", List.of());
        addMount(mounts, "/dev/shm", "tmpfs", "tmpfs", List.of("nosuid", "nodev", "mode=1777"));
        addMount(mounts, "/sys", "sysfs", "sysfs", List.of("ro", "nosuid", "nodev", "noexec"));
        for (BindMount mount : bindMounts) {
            String access = mount.readOnly() ? "ro" : "rw";
            addMount(mounts, mount.target(), "bind", mount.source().toString(), List.of("bind", access));
        }
    }

    private static void addMount(ArrayNode mounts, String target, String type, String source, List<String> options) {
        ObjectNode mount =
                mounts.addObject().put("destination", target).put("type", type).put("source", source);
        addAll(mount.putArray("options"), options);
    }

    private static void addNamespaces(ArrayNode namespaces, ContainerNetwork network) {
        for (String type : List.of("pid", "ipc", "uts", "mount")) {
            namespaces.addObject().put("type", type);
        }
        ObjectNode own = namespaces.addObject().put("type", "network");
        if (network instanceof ContainerNetwork.Namespace(var path)) {
            own.put("path", path.toString());
        }
    }

    private static void addAll(ArrayNode array, List<String> values) {
        values.forEach(array::add);
    }
}
