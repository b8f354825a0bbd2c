package dev.slate.cli.platform;

import dev.slate.cli.common.Output;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code slate down}. */
@Command(
        name = "down",
        description = "End all sandboxes and stop the platform; also cleans up after one that was killed.",
        mixinStandardHelpOptions = true)
public final class DownCommand implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    @Option(names = "--purge", description = "Remove all state too: volumes, images, secrets, keys.")
    private boolean purge;

    @Override
    public Integer call() {
        var home = SlateHome.of(output.environment());
        new Platform(output.environment(), output.err()).down();
        var leftovers = Leftovers.find(home);
        leftovers.forEach(leftover -> output.err().println("slate: left over: " + leftover));
        if (!leftovers.isEmpty()) {
            return 1;
        }
        if (purge) {
            home.purge();
        }
        output.value(
                Map.of("home", home.path().toString(), "purged", purge),
                "Slate is down" + (purge ? ", and " + home.path() + " is removed" : ""));
        return 0;
    }
}
