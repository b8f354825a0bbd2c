package dev.slate.cli.sandbox;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Output;
import dev.slate.sdk.FileType;
import dev.slate.sdk.SandboxFiles;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code slate sandbox cp}. */
@Command(name = "cp", description = "Copy a file, or with -r a directory, into or out of a sandbox.")
final class CopyCommand extends ApiCommand {

    @Parameters(index = "0", paramLabel = "SRC", description = "A local path or NAME:/path.")
    private String source = "";

    @Parameters(index = "1", paramLabel = "DST", description = "The same; one of both is in a sandbox.")
    private String target = "";

    @Option(
            names = {"-r", "--recursive"},
            description = "A directory with all below it.")
    private boolean recursive;

    @Option(
            names = "--exclude",
            paramLabel = "NAME",
            description = "With -r out of a sandbox: leave out this name, or path below the directory.")
    private List<String> excludes = new ArrayList<>();

    @Override
    protected int run(Slate slate, Output output) {
        var from = SandboxLocation.parse(source);
        var to = SandboxLocation.parse(target);
        if (from.isPresent() == to.isPresent()) {
            throw new CommandFailure("%s, %s (expected: one local path and one NAME:/path)".formatted(source, target));
        }
        try (var progress = new CopyProgress()) {
            if (to.isPresent()) {
                copyIn(files(slate, to.get()), Path.of(source), to.get(), progress);
            } else {
                copyOut(files(slate, from.orElseThrow()), from.orElseThrow(), Path.of(target), progress, output);
            }
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy " + source + " to " + target, e);
        }
    }

    private static SandboxFiles files(Slate slate, SandboxLocation location) {
        return slate.sandboxes().get(location.sandbox()).files();
    }

    private void copyIn(SandboxFiles files, Path local, SandboxLocation to, CopyProgress progress) throws IOException {
        if (recursive) {
            files.uploadDirectory(local, to.path(), progress);
            return;
        }
        if (!Files.isRegularFile(local)) {
            throw new CommandFailure(local + " (expected: a file, or -r for a directory)");
        }
        var path = isDirectory(files, to.path()) ? to.path().replaceAll("/*$", "/") + local.getFileName() : to.path();
        int mode = Files.isExecutable(local) ? 0755 : 0644;
        files.put(progress.of(Files.newInputStream(local)), path, mode);
    }

    private void copyOut(SandboxFiles files, SandboxLocation from, Path local, CopyProgress progress, Output output)
            throws IOException {
        if (recursive) {
            var copy = files.downloadDirectory(from.path(), local, excludes, progress);
            copy.leftOut()
                    .forEach(link -> output.err()
                            .println("left out, a link that leads out of the directory: "
                                    + FilesCommand.printable(link)));
            output.err().flush();
            return;
        }
        var path = Files.isDirectory(local) ? local.resolve(from.fileName()) : local;
        // Complete or not there at all.
        var temporary = Files.createTempFile(path.toAbsolutePath().getParent(), ".slate-", ".part");
        try (var in = progress.of(files.open(from.path()))) {
            Files.copy(in, temporary, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(
                    temporary, java.nio.file.attribute.PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(temporary, path, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static boolean isDirectory(SandboxFiles files, String path) {
        try {
            return path.endsWith("/") || files.statTarget(path).type() == FileType.DIRECTORY;
        } catch (SlateException.NotFound _) {
            return false;
        }
    }
}
