package dev.slate.cli.common;

import java.nio.file.Path;
import java.util.List;

/** Where this program and its Java are. The start script tells the folder that holds everything. */
public final class Install {

    /** Quiet about what Netty and Protocol Buffers still do, and quick to start. */
    private static final List<String> JVM_OPTIONS = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dfile.encoding=UTF-8");

    private Install() {}

    public static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    public static List<String> jvmOptions() {
        return JVM_OPTIONS;
    }

    /** The repository, or what was unpacked from a release. */
    public static Path root() {
        var root = System.getProperty("slate.root");
        if (root == null) {
            throw new CommandFailure("slate.root is not set (start the program by its script `slate`)");
        }
        return Path.of(root);
    }

    /** The library with all that it needs. */
    public static String sdkClassPath() {
        return root().resolve("cli/target/lib") + "/*";
    }

    /** What the build of the platform leaves. */
    public static Path platformFolder() {
        return root().resolve("standalone/target/quarkus-app");
    }
}
