package dev.slate.image.build;

import dev.slate.image.base.BaseImages;
import dev.slate.image.layout.OciLayout;
import dev.slate.image.progress.Progress;
import dev.slate.image.progress.SharedRuns;
import dev.slate.image.recipe.ImageRecipe;
import dev.slate.image.store.BuiltImage;
import dev.slate.image.store.ImageStore;
import dev.slate.tree.Digest;
import jakarta.inject.Singleton;
import java.util.Optional;

/** Answers with the image of a recipe, building it when it does not exist; one build of a recipe at a time. */
@Singleton
public class ImageBuilds {
    private final BaseImages bases;
    private final ImageStore store;
    private final OciLayout layout;
    private final ImageBuild build;
    private final SharedRuns<Key, BuiltImage> runs = new SharedRuns<>();

    ImageBuilds(BaseImages bases, ImageStore store, OciLayout layout, ImageBuild build) {
        this.bases = bases;
        this.store = store;
        this.layout = layout;
        this.build = build;
    }

    private record Key(String environment, String recipeDigest, boolean force) {}

    /** An image, and whether nothing had to be built. */
    public record Result(BuiltImage image, boolean existed) {}

    /** Blocks until the image is there. A caller that gives up does not end a build. */
    public Result build(String environment, ImageRecipe recipe, boolean force, Progress progress) {
        Digest base = bases.resolve(recipe.base(), progress);
        String digest = recipe.digest(base.toString());
        if (!force) {
            Optional<BuiltImage> existing = store.find(environment, digest).filter(image -> layout.has(image.digest()));
            if (existing.isPresent()) {
                return new Result(existing.get(), true);
            }
        }
        Key key = new Key(environment, digest, force);
        ImageBuild.Order order = new ImageBuild.Order(environment, recipe, digest, base, force);
        return new Result(runs.join(key, progress, shared -> build.run(order, shared)), false);
    }
}
