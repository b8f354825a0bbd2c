package dev.slate.tree;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A real overlay mount below a temporary directory; unmounted by close. */
public final class TestOverlay implements AutoCloseable {
    public final Path lower;
    public final Path upper;
    public final Path merged;

    public TestOverlay(Path root, Mounts.DirectoryRenames renames, ThrowingConsumer<Path> prepareLower)
            throws IOException {
        lower = Files.createDirectories(root.resolve("lower"));
        upper = Files.createDirectories(root.resolve("upper"));
        merged = Files.createDirectories(root.resolve("merged"));
        prepareLower.accept(lower);
        Mounts.overlay(List.of(lower), upper, Files.createDirectories(root.resolve("work")), merged, renames);
    }

    public Changes scan() throws IOException {
        return OverlayScanner.scan(upper, BodySink.digestOnly(), ScanLimits.DEFAULT);
    }

    public Tree lowerTree() throws IOException {
        return TreeScanner.scan(lower, BodySink.digestOnly(), ScanLimits.DEFAULT)
                .tree();
    }

    public Tree mergedTree() throws IOException {
        return TreeScanner.scan(merged, BodySink.digestOnly(), ScanLimits.DEFAULT)
                .tree();
    }

    /** Runs a shell script in the merged directory. */
    public void run(String script) throws IOException, InterruptedException {
        sh(merged, script);
    }

    public static void sh(Path directory, String script) throws IOException, InterruptedException {
        var process = new ProcessBuilder("sh", "-euc", script)
                .directory(directory.toFile())
                .inheritIO()
                .start();
        if (process.waitFor() != 0) {
            throw new IOException("exit " + process.exitValue() + ": " + script);
        }
    }

    @Override
    public void close() throws IOException {
        Mounts.unmount(merged);
    }

    /** May fail, unlike the JDK's. */
    public interface ThrowingConsumer<T> {
        void accept(T value) throws IOException;
    }
}
