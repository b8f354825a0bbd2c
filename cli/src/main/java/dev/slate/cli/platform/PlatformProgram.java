package dev.slate.cli.platform;

import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Install;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The platform as its build leaves it. It is started from a plain class path instead of the launcher in its jar: the
 * JVM's ahead-of-time cache (JEP 514), which the first run writes when it ends, then holds its classes loaded and
 * linked, and later starts take a fraction of the time.
 */
record PlatformProgram(Path folder, List<Path> classPath) {
    static final String MAIN_CLASS = "dev.slate.standalone.Main";

    static PlatformProgram installed() {
        var folder = Install.platformFolder();
        var classPath = new ArrayList<Path>();
        // Classes that the build transformed come before the ones they stand for.
        for (var part : List.of("quarkus", "app", "lib/boot", "lib/main")) {
            classPath.addAll(jars(folder.resolve(part)).reversed());
        }
        return new PlatformProgram(folder, List.copyOf(classPath));
    }

    /** Options for a run of the whole platform, which writes the cache when it ends unless there is one. */
    List<String> runOptions() {
        return options(isCurrent() ? "-XX:AOTCache=" + cache() : "-XX:AOTCacheOutput=" + cache());
    }

    /** Options for a short task, which knows too little of the platform to write the cache. */
    List<String> taskOptions() {
        return options("-XX:AOTCache=" + cache());
    }

    private List<String> options(String ofCache) {
        return List.of(
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                // The optimising compiler waits until code is hot for long: eager, it takes half of a start's processor
                // time.
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-AOTReplayTraining",
                "-XX:Tier4InvocationThreshold=50000",
                "-XX:Tier4MinInvocationThreshold=6000",
                "-XX:Tier4CompileThreshold=150000",
                "-XX:Tier4BackEdgeThreshold=400000",
                ofCache,
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                "-cp",
                classPath.stream().map(Path::toString).collect(Collectors.joining(":")));
    }

    private Path cache() {
        return folder.resolve("platform-" + Runtime.version() + ".aot");
    }

    /** Whether starts have their cache. The JVM itself refuses one of another JVM or class path, but does not replace it. */
    boolean isCurrent() {
        try {
            if (!Files.exists(cache())) {
                return false;
            }
            var made = Files.getLastModifiedTime(cache());
            for (var jar : classPath) {
                if (Files.getLastModifiedTime(jar).compareTo(made) >= 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + folder, e);
        }
    }

    private static List<Path> jars(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new CommandFailure("the platform is not built: " + folder + " is missing");
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + folder, e);
        }
    }
}
