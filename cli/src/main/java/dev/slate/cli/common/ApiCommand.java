package dev.slate.cli.common;

import dev.slate.sdk.Slate;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A command that asks the platform. */
@Command(mixinStandardHelpOptions = true)
public abstract class ApiCommand implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    /** The exit status. */
    @Override
    public final Integer call() {
        try (var slate = Slate.fromEnvironment(output.environment())) {
            return run(slate, output);
        }
    }

    protected abstract int run(Slate slate, Output output);
}
