package dev.slate.cli.image;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.sdk.BuiltImage;
import dev.slate.sdk.Progress;
import dev.slate.sdk.Slate;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code slate image}. */
@Command(
        name = "image",
        description = "Build images ahead of use.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ImageCommand.Build.class, ImageCommand.ListAll.class})
public final class ImageCommand {

    private ImageCommand() {}

    @Command(name = "build", description = "Build an image, or find the one built before, and print its digest.")
    static final class Build extends ApiCommand {

        @Mixin
        private final ImageOptions recipe = new ImageOptions();

        @Option(names = "--force", description = "Build even when the image exists.")
        private boolean force;

        @Option(names = "--output", description = "Show what build steps print.")
        private boolean showOutput;

        @Override
        protected int run(Slate slate, Output output) {
            var progress = showOutput ? new VerboseProgress(output.err()) : Progress.standardError();
            var built = force
                    ? slate.images().rebuild(recipe.image(), progress)
                    : slate.images().build(recipe.image(), progress);
            output.value(built, built.digest());
            return 0;
        }
    }

    @Command(name = "list", description = "List images.")
    static final class ListAll extends ApiCommand {

        @Override
        protected int run(Slate slate, Output output) {
            output.list(
                    slate.images().list(),
                    List.of(
                            new Output.Column<>("DIGEST", BuiltImage::digest),
                            new Output.Column<>("SIZE", BuiltImage::sizeBytes),
                            new Output.Column<>("LAYERS", BuiltImage::layers),
                            new Output.Column<>("CREATED", BuiltImage::createdAt)));
            return 0;
        }
    }
}
