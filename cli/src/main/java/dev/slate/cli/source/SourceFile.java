package dev.slate.cli.source;

import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Install;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A Java source file, run by the source launcher with the library on its class path. */
public record SourceFile(Path path) {

    public SourceFile {
        if (!Files.isReadable(path)) {
            throw new CommandFailure("source file: " + path + " (expected: a readable .java file)");
        }
    }

    /** Runs to the end with this process's standard streams, and returns the exit status. */
    public int run(Map<String, String> environment, List<String> arguments) {
        var builder = process(environment, arguments).inheritIO();
        try {
            var process = builder.start();
            var onExit = new Thread(process::destroy);
            Runtime.getRuntime().addShutdownHook(onExit);
            var status = process.waitFor();
            Runtime.getRuntime().removeShutdownHook(onExit);
            return status;
        } catch (IOException e) {
            throw new CommandFailure("cannot start java: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("interrupted", e);
        }
    }

    /** For callers that want other streams. */
    public ProcessBuilder process(Map<String, String> environment, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Install.java().toString());
        command.addAll(Install.jvmOptions());
        command.addAll(List.of("--class-path", Install.sdkClassPath(), "--source", "25", path.toString()));
        command.addAll(arguments);
        var builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        return builder;
    }
}
