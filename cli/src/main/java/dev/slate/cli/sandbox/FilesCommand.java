package dev.slate.cli.sandbox;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.sdk.FileType;
import dev.slate.sdk.SandboxFile;
import dev.slate.sdk.Slate;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code slate sandbox ls}. */
@Command(name = "ls", description = "List a directory of a sandbox, or show one file.")
final class FilesCommand extends ApiCommand {

    @Parameters(index = "0", paramLabel = "NAME", description = "Name or id of the sandbox.")
    private String sandbox = "";

    @Parameters(index = "1", arity = "0..1", defaultValue = "/", paramLabel = "PATH", description = "Default: /.")
    private String path = "";

    @Override
    protected int run(Slate slate, Output output) {
        var files = slate.sandboxes().get(sandbox).files();
        var found = files.statTarget(path);
        output.list(
                found.type() == FileType.DIRECTORY ? files.list(path) : List.of(found),
                List.of(
                        new Output.Column<>("MODE", FilesCommand::mode),
                        new Output.Column<>("SIZE", SandboxFile::size),
                        new Output.Column<>("MODIFIED", SandboxFile::modifiedAt),
                        new Output.Column<>("PATH", file -> printable(file.path()))));
        return 0;
    }

    private static String mode(SandboxFile file) {
        char type = switch (file.type()) {
            case FILE -> '-';
            case DIRECTORY -> 'd';
            case SYMLINK -> 'l';
            case OTHER -> '?';
        };
        return type + "%04o".formatted(file.mode());
    }

    /** A name from a sandbox must not steer the terminal, nor break the line. */
    static String printable(String path) {
        return path.replaceAll("\\p{Cntrl}|[\\x{10FF80}-\\x{10FFFF}]", "?");
    }
}
