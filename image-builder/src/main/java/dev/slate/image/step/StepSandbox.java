package dev.slate.image.step;

import dev.slate.common.config.HomeConfig;
import dev.slate.image.config.ImageConfig;
import dev.slate.runsc.BindMount;
import dev.slate.runsc.Completion;
import dev.slate.runsc.ContainerId;
import dev.slate.runsc.ContainerSpec;
import dev.slate.runsc.HostLayout;
import dev.slate.runsc.ResourceLimits;
import dev.slate.runsc.RootWrites;
import dev.slate.runsc.Runsc;
import dev.slate.runsc.RunscBinary;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Runs the command of a step under gVisor; its writes go straight to the root folder. Thread-safe. */
@Singleton
public class StepSandbox {
    private final HostLayout layout;
    private final Duration timeLimit;
    private final ResourceLimits limits;

    @Inject
    StepSandbox(HomeConfig home, ImageConfig config) {
        this(
                HostLayout.of(home.home()),
                config.stepTimeLimit(),
                new ResourceLimits(0, config.stepMemory().asLongValue(), 0));
    }

    /** Runs commands for an install. */
    public StepSandbox(HostLayout layout, Duration timeLimit, ResourceLimits limits) {
        this.layout = layout;
        this.timeLimit = timeLimit;
        this.limits = limits;
    }

    /** What to run and where. */
    record Command(String id, Path root, List<String> arguments, Map<String, String> environment) {}

    /** Blocks until the command has ended or its time is over. */
    Completion run(Command command, BuildNetwork.Connection connection, Consumer<byte[]> output) {
        ContainerSpec.Builder spec = ContainerSpec.of(
                        new ContainerId(command.id()), command.root(), command.arguments())
                .environment(Map.of("HOME", "/root"))
                .environment(connection.environment())
                .environment(command.environment())
                .hostname("build")
                .network(connection.network())
                .limits(limits)
                .rootWrites(new RootWrites.ToHost());
        for (BindMount mount : connection.mounts()) {
            spec.mount(mount);
        }
        return runsc().run(spec.build(), (_, bytes) -> output.accept(bytes)).await(timeLimit);
    }

    /** Ends what an earlier process of this install left running. */
    void endLeftovers() {
        for (ContainerId id : runsc().remains()) {
            if (id.value().startsWith(CommandStep.ID_PREFIX)) {
                runsc().destroy(id);
            }
        }
    }

    /** Opened at the first use: an image builder without run steps needs no gVisor. */
    private Runsc runsc() {
        return Runsc.open(layout, RunscBinary.find());
    }
}
