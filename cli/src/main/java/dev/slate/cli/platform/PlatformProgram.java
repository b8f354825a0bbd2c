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
 * JVM's class data archive, which the first run writes when it ends, then holds its classes, and later starts take a
 * fraction of the time.
 */
record PlatformProgram(Path folder, List<Path> classPath) {

    static PlatformProgram installed() {
        var folder = Install.platformFolder();
        var classPath = new ArrayList<Path>();
        // Classes that the build transformed come before the ones they stand for.
        for (var part : List.of("quarkus", "app", "lib/boot", "lib/main")) {
            classPath.addAll(jars(folder.resolve(part)).reversed());
        }
        return new PlatformProgram(folder, List.copyOf(classPath));
    }

    List<String> javaOptions() {
        return List.of(
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-XX:SharedArchiveFile=" + folder.resolve("platform.jsa"),
                "-XX:+AutoCreateSharedArchive",
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                "-cp",
                classPath.stream().map(Path::toString).collect(Collectors.joining(":")));
    }

    String mainClass() {
        return "dev.slate.standalone.Main";
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
