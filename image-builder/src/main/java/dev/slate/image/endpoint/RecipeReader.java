package dev.slate.image.endpoint;

import dev.slate.common.error.PlatformException;
import dev.slate.image.recipe.AddedFile;
import dev.slate.image.recipe.BaseSource;
import dev.slate.image.recipe.ImageRecipe;
import dev.slate.image.recipe.ImageReference;
import dev.slate.image.recipe.Step;

/** Turns recipes of the wire into checked ones. */
final class RecipeReader {
    private RecipeReader() {}

    static ImageRecipe read(dev.slate.api.image.v1.Recipe recipe) {
        return new ImageRecipe(
                base(recipe),
                recipe.getStepsList().stream().map(RecipeReader::step).toList(),
                new ImageRecipe.Settings(
                        recipe.getEnvMap(), recipe.getWorkdir(), recipe.getEntrypointList(), recipe.getUser()));
    }

    private static BaseSource base(dev.slate.api.image.v1.Recipe recipe) {
        return switch (recipe.getBaseCase()) {
            case DEBIAN_SLIM -> new BaseSource.DebianSlim();
            case REFERENCE -> new BaseSource.Registry(ImageReference.parse(recipe.getReference()));
            case BASE_NOT_SET -> throw PlatformException.invalid("base", "none", "debian_slim or a reference");
        };
    }

    private static Step step(dev.slate.api.image.v1.Step step) {
        return switch (step.getKindCase()) {
            case APT_INSTALL -> new Step.AptInstall(step.getAptInstall().getPackagesList());
            case RUN_COMMAND -> new Step.RunCommand(step.getRunCommand().getCommand());
            case ADD_FILES ->
                new Step.AddFiles(step.getAddFiles().getFilesList().stream()
                        .map(RecipeReader::file)
                        .toList());
            case KIND_NOT_SET ->
                throw PlatformException.invalid("step", "empty or unknown", "apt_install, run_command or add_files");
        };
    }

    private static AddedFile file(dev.slate.api.image.v1.AddedFile file) {
        AddedFile.Content content = switch (file.getContentCase()) {
            case SHA256 -> new AddedFile.Content.Body(file.getSha256());
            case SYMLINK_TARGET -> new AddedFile.Content.Link(file.getSymlinkTarget());
            case DIRECTORY -> new AddedFile.Content.Directory();
            case CONTENT_NOT_SET ->
                throw PlatformException.invalid("added file", file.getPath(), "sha256, symlink_target or directory");
        };
        return new AddedFile(file.getPath(), file.getMode(), content);
    }
}
