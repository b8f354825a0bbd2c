package dev.slate.runsc;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Everything that is needed to start one container. Nothing in it becomes an annotation or a {@code runsc} flag. */
public record ContainerSpec(
        ContainerId id,
        Path rootfs,
        List<String> arguments,
        Map<String, String> environment,
        String workingDirectory,
        ContainerUser user,
        String hostname,
        List<BindMount> mounts,
        ContainerNetwork network,
        ResourceLimits limits,
        RootWrites rootWrites,
        boolean noNewPrivileges) {

    public ContainerSpec {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        mounts = List.copyOf(mounts);
        if (arguments.isEmpty()) {
            throw new IllegalArgumentException("arguments: none (expected: a command)");
        }
        if (!workingDirectory.startsWith("/")) {
            throw new IllegalArgumentException(
                    "working directory: " + workingDirectory + " (expected: an absolute path)");
        }
    }

    /** A container without network, limits or mounts, run by root, whose writes reach {@code rootfs}. */
    public static Builder of(ContainerId id, Path rootfs, List<String> arguments) {
        return new Builder(id, rootfs, arguments);
    }

    /** Collects the optional parts; confined to one thread. */
    public static final class Builder {

        private final ContainerId id;
        private final Path rootfs;
        private final List<String> arguments;
        private final Map<String, String> environment = new LinkedHashMap<>();
        private final List<BindMount> mounts = new ArrayList<>();
        private String workingDirectory = "/";
        private ContainerUser user = ContainerUser.ROOT;
        private String hostname = "slate";
        private ContainerNetwork network = new ContainerNetwork.None();
        private ResourceLimits limits = ResourceLimits.NONE;
        private RootWrites rootWrites = new RootWrites.ToHost();
        private boolean noNewPrivileges;

        private Builder(ContainerId id, Path rootfs, List<String> arguments) {
            this.id = id;
            this.rootfs = rootfs;
            this.arguments = List.copyOf(arguments);
            environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        }

        public Builder environment(Map<String, String> variables) {
            environment.putAll(variables);
            return this;
        }

        public Builder workingDirectory(String path) {
            workingDirectory = path;
            return this;
        }

        public Builder user(ContainerUser value) {
            user = value;
            return this;
        }

        public Builder hostname(String value) {
            hostname = value;
            return this;
        }

        public Builder mount(BindMount mount) {
            mounts.add(mount);
            return this;
        }

        public Builder network(ContainerNetwork value) {
            network = value;
            return this;
        }

        public Builder limits(ResourceLimits value) {
            limits = value;
            return this;
        }

        public Builder rootWrites(RootWrites value) {
            rootWrites = value;
            return this;
        }

        public Builder noNewPrivileges(boolean value) {
            noNewPrivileges = value;
            return this;
        }

        public ContainerSpec build() {
            return new ContainerSpec(
                    id,
                    rootfs,
                    arguments,
                    environment,
                    workingDirectory,
                    user,
                    hostname,
                    mounts,
                    network,
                    limits,
                    rootWrites,
                    noNewPrivileges);
        }
    }
}
