package dev.slate.cli.platform;

import dev.slate.cli.common.Output;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code slate up}. */
@Command(
        name = "up",
        description = "Start the platform on this host, and sign in to it.",
        mixinStandardHelpOptions = true)
public final class UpCommand implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final ListenOptions listen = new ListenOptions();

    @Option(names = "--foreground", description = "Stay in this terminal.")
    private boolean foreground;

    @Override
    public Integer call() {
        var home = SlateHome.of(output.environment());
        var platform = new Platform(output.environment(), output.err());
        if (foreground) {
            return platform.foreground(listen.listen());
        }
        var started = platform.up(listen.listen());
        var endpoint = home.endpoint().orElseThrow();
        output.value(
                Map.of("endpoint", endpoint, "home", home.path().toString(), "started", started),
                "Slate " + (started ? "is up" : "was up already") + " at " + endpoint);
        return 0;
    }
}
