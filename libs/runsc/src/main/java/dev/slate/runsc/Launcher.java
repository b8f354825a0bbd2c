package dev.slate.runsc;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the command that joins the control groups, hides {@code /proc/sys/net} when that is needed, and then becomes
 * {@code runsc}.
 *
 * <p>What the launcher itself has to complain about goes to a file, so that it is never mixed with the output of the
 * container.
 */
record Launcher(RunscBinary binary, HostLayout layout) {

    static final String LOG = "launch.log";
    private static final String RUNSC_LOG = "runsc.log";

    private static final String SCRIPT = """
            exec 3>&2 2>"$1" || exit 125
            shift
            while [ "$1" != -- ]; do echo 0 >"$1" || exit 125; shift; done
            shift
            HIDE
            exec "$@" 2>&3 3>&-
            """;

    /** The workaround is private to this one process: nothing else on the host sees the empty folder. */
    private static final String HIDE = "mount -n --bind \"$1\" /proc/sys/net || exit 125; shift";

    List<String> command(
            ContainerSpec spec, List<String> joinFiles, boolean hideNetworkSettings, List<String> runscCommand) {
        List<String> command = new ArrayList<>();
        if (hideNetworkSettings) {
            command.addAll(List.of("unshare", "--mount", "--propagation", "slave"));
        }
        command.addAll(List.of("sh", "-c", SCRIPT.replace("HIDE", hideNetworkSettings ? HIDE : ""), "slate-launcher"));
        command.add(launchLog(spec.id()).toString());
        command.addAll(joinFiles);
        command.add("--");
        if (hideNetworkSettings) {
            command.add(layout.emptyFolder().toString());
        }
        command.addAll(runsc(spec.network(), spec.rootWrites(), runscLog(spec.id())));
        command.addAll(runscCommand);
        return command;
    }

    Path launchLog(ContainerId id) {
        return layout.bundle(id).resolve(LOG);
    }

    Path runscLog(ContainerId id) {
        return layout.bundle(id).resolve(RUNSC_LOG);
    }

    private List<String> runsc(ContainerNetwork network, RootWrites rootWrites, Path log) {
        return List.of(
                binary.path().toString(),
                "--root=" + layout.stateRoot(),
                "--platform=systrap",
                "--ignore-cgroups",
                "--log=" + log,
                "--log-format=json",
                switch (network) {
                    case ContainerNetwork.None _ -> "--network=none";
                    case ContainerNetwork.Unconnected _, ContainerNetwork.Namespace _ -> "--network=sandbox";
                },
                switch (rootWrites) {
                    case RootWrites.ToHost _ -> "--overlay2=none";
                    case RootWrites.ToMemory _ -> "--overlay2=root:memory";
                    case RootWrites.ToFile(var folder) -> "--overlay2=root:dir=" + folder;
                });
    }
}
