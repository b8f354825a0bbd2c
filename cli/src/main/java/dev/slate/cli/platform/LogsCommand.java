package dev.slate.cli.platform;

import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code slate logs}. */
@Command(name = "logs", description = "Print the platform's log.", mixinStandardHelpOptions = true)
public final class LogsCommand implements Callable<Integer> {

    @Option(
            names = {"-f", "--follow"},
            description = "Go on as it grows.")
    private boolean follow;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "How many lines from the end; default: ${DEFAULT-VALUE}.")
    private int lines = 200;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException, IOException {
        var log = SlateHome.of(Environment.of(spec)).log();
        if (!Files.isReadable(log)) {
            throw new CommandFailure("no log yet at " + log);
        }
        var command = new ArrayList<>(List.of("tail", "-n", Integer.toString(lines)));
        if (follow) {
            command.add("-F");
        }
        command.add(log.toString());
        var tail = new ProcessBuilder(command).inheritIO().start();
        var onExit = new Thread(tail::destroy);
        Runtime.getRuntime().addShutdownHook(onExit);
        return tail.waitFor();
    }
}
