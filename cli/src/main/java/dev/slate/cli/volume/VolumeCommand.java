package dev.slate.cli.volume;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.sdk.Slate;
import dev.slate.sdk.VolumeFile;
import dev.slate.sdk.VolumeSnapshot;
import dev.slate.sdk.VolumeVersion;
import dev.slate.sdk.Volumes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code slate volume}. */
@Command(
        name = "volume",
        description = "Keep files in versions, outside sandboxes.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            VolumeCommand.Create.class,
            VolumeCommand.Put.class,
            VolumeCommand.Get.class,
            VolumeCommand.Ls.class,
            VolumeCommand.Cat.class,
            VolumeCommand.ListAll.class,
            VolumeCommand.Versions.class,
            VolumeCommand.Delete.class
        })
public final class VolumeCommand {

    private VolumeCommand() {}

    /** A command on one volume. */
    abstract static class OnVolume extends ApiCommand {

        @Parameters(index = "0", paramLabel = "VOLUME", description = "Name of the volume.")
        String volume = "";
    }

    /** A command on one version of a volume. */
    abstract static class OnVersion extends OnVolume {

        @Option(names = "--version", paramLabel = "N", description = "Default: the latest.")
        private long version;

        VolumeSnapshot snapshot(Slate slate) {
            var handle = slate.volume(volume);
            return version == 0 ? handle.latest() : handle.at(version);
        }
    }

    @Command(name = "create", description = "Make an empty volume.")
    static final class Create extends OnVolume {

        @Option(names = "--if-missing", description = "Succeed when it exists.")
        private boolean ifMissing;

        @Override
        protected int run(Slate slate, Output output) {
            var handle = slate.volume(volume);
            var created = ifMissing ? handle.createIfMissing() : handle.create();
            output.value(created.info(), created.name());
            return 0;
        }
    }

    @Command(name = "put", description = "Store a local file or directory; makes the volume when it is missing.")
    static final class Put extends OnVolume {

        @Parameters(index = "1", paramLabel = "LOCAL", description = "File or directory.")
        private Path local = Path.of("");

        @Parameters(index = "2", arity = "0..1", paramLabel = "PATH", description = "Default: the root.")
        private String path = "/";

        @Override
        protected int run(Slate slate, Output output) {
            var version = slate.volume(volume).createIfMissing().put(local, path);
            output.value(version, "stored version " + version.number());
            return 0;
        }
    }

    @Command(name = "get", description = "Copy a file out.")
    static final class Get extends OnVersion {

        @Parameters(index = "1", paramLabel = "PATH", description = "File in the volume.")
        private String path = "";

        @Parameters(index = "2", arity = "0..1", paramLabel = "LOCAL", description = "Default: the same name, here.")
        private Path local = Path.of("");

        @Override
        protected int run(Slate slate, Output output) {
            var name = Path.of(path).getFileName();
            var target = Files.isDirectory(local.toAbsolutePath()) ? local.resolve(name) : local;
            try (var in = snapshot(slate).open(path)) {
                Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write " + target, e);
            }
            output.done("copied", "file", target.toString());
            return 0;
        }
    }

    @Command(name = "ls", description = "List a directory.")
    static final class Ls extends OnVersion {

        @Parameters(index = "1", arity = "0..1", paramLabel = "PATH", description = "Default: the root.")
        private String path = "/";

        @Option(
                names = {"-r", "--recursive"},
                description = "Everything, at any depth.")
        private boolean recursive;

        @Override
        protected int run(Slate slate, Output output) {
            var snapshot = snapshot(slate);
            output.list(
                    recursive ? snapshot.list() : snapshot.list(path),
                    List.of(
                            new Output.Column<>("PATH", VolumeFile::path),
                            new Output.Column<>(
                                    "TYPE", file -> file.type().name().toLowerCase(Locale.ROOT)),
                            new Output.Column<>("MODE", file -> String.format("%04o", file.mode())),
                            new Output.Column<>("SIZE", VolumeFile::size),
                            new Output.Column<>("MODIFIED", VolumeFile::modifiedAt)));
            return 0;
        }
    }

    @Command(name = "cat", description = "Print a file.")
    static final class Cat extends OnVersion {

        @Parameters(index = "1", paramLabel = "PATH", description = "File in the volume.")
        private String path = "";

        @Override
        protected int run(Slate slate, Output output) {
            try (var in = snapshot(slate).open(path)) {
                output.copy(in);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + path, e);
            }
            return 0;
        }
    }

    @Command(name = "list", description = "List volumes.")
    static final class ListAll extends ApiCommand {

        @Override
        protected int run(Slate slate, Output output) {
            output.list(
                    slate.volumes().list(),
                    List.of(
                            new Output.Column<>("NAME", Volumes.Entry::name),
                            new Output.Column<>("LATEST", Volumes.Entry::latestVersion),
                            new Output.Column<>("CREATED", Volumes.Entry::createdAt)));
            return 0;
        }
    }

    @Command(name = "versions", description = "List versions, newest first.")
    static final class Versions extends OnVolume {

        @Override
        protected int run(Slate slate, Output output) {
            output.list(
                    slate.volume(volume).versions(),
                    List.of(
                            new Output.Column<>("VERSION", VolumeVersion::number),
                            new Output.Column<>("FILES", VolumeVersion::files),
                            new Output.Column<>("BYTES", VolumeVersion::bytes),
                            new Output.Column<>("CREATED", VolumeVersion::createdAt),
                            new Output.Column<>("AUTHOR", VolumeVersion::author)));
            return 0;
        }
    }

    @Command(name = "delete", description = "Delete a volume with all its versions.")
    static final class Delete extends OnVolume {

        @Override
        protected int run(Slate slate, Output output) {
            slate.volume(volume).delete();
            output.done("deleted", "volume", volume);
            return 0;
        }
    }
}
