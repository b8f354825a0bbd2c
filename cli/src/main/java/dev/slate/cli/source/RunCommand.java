package dev.slate.cli.source;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code slate run}. */
@Command(
        name = "run",
        description = "Run a Java source file with the Slate library; it may use other files of its folder.",
        mixinStandardHelpOptions = true)
public final class RunCommand implements Callable<Integer> {

    @Parameters(index = "0", paramLabel = "FILE.java", description = "Source file with a main method.")
    private Path file = Path.of("");

    @Parameters(index = "1..*", paramLabel = "ARGUMENT", description = "Passed on to the program.")
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() {
        return new SourceFile(file).run(Map.of(), arguments);
    }
}
