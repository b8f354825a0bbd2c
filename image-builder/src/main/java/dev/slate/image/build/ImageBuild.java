package dev.slate.image.build;

import dev.slate.image.config.ImageFolders;
import dev.slate.image.layout.Images;
import dev.slate.image.layout.LayerDirectories;
import dev.slate.image.layout.OciLayout;
import dev.slate.image.layout.RuntimeConfig;
import dev.slate.image.layout.StoredImage;
import dev.slate.image.progress.Progress;
import dev.slate.image.recipe.Fingerprint;
import dev.slate.image.recipe.ImageRecipe;
import dev.slate.image.recipe.Step;
import dev.slate.image.recipe.StepKey;
import dev.slate.image.step.StepLayers;
import dev.slate.image.store.BuiltImage;
import dev.slate.image.store.ImageStore;
import dev.slate.image.store.StepStore;
import dev.slate.tree.Digest;
import dev.slate.tree.layer.Layer;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Builds one image: walks its steps, runs those whose layer does not exist, and writes each record last. */
@Singleton
class ImageBuild {
    private final ImageFolders folders;
    private final OciLayout layout;
    private final Images images;
    private final LayerDirectories directories;
    private final StepLayers stepLayers;
    private final Records records;
    private final Clock clock;

    ImageBuild(
            ImageFolders folders,
            OciLayout layout,
            Images images,
            LayerDirectories directories,
            StepLayers stepLayers,
            Records records,
            Clock clock) {
        this.folders = folders;
        this.layout = layout;
        this.images = images;
        this.directories = directories;
        this.stepLayers = stepLayers;
        this.records = records;
        this.clock = clock;
    }

    /** What is to be built. */
    record Order(String environment, ImageRecipe recipe, String recipeDigest, Digest base, boolean force) {}

    /** What the database knows. */
    @Singleton
    record Records(ImageStore images, StepStore steps) {}

    BuiltImage run(Order order, Progress listener) {
        try (BuildLog progress = BuildLog.open(logFile(order), listener)) {
            StoredImage base = images.read(order.base());
            RuntimeConfig config = base.config().with(order.recipe().settings());
            List<Layer> layers = new ArrayList<>(base.layers());
            for (int i = 0; i < order.recipe().steps().size(); i++) {
                layers.add(layer(order, i, layers, config, progress));
            }
            progress.phase(
                    "image",
                    order.recipe().steps().size(),
                    order.recipe().steps().size(),
                    false);
            StoredImage image = images.write(layers, config, order.recipeDigest());
            // Now rather than when the first sandbox waits for it.
            directories.prepare(image.layers());
            // The database keeps microseconds: the first answer must equal the later ones.
            Instant created = clock.instant().truncatedTo(ChronoUnit.MICROS);
            BuiltImage built =
                    new BuiltImage(image.digest(), order.recipeDigest(), image.sizeBytes(), layers.size(), created);
            records.images().put(order.environment(), built);
            return built;
        }
    }

    private Layer layer(Order order, int index, List<Layer> below, RuntimeConfig config, Progress progress) {
        Step step = order.recipe().steps().get(index);
        int count = order.recipe().steps().size();
        List<String> diffIds =
                below.stream().map(layer -> layer.diffId().toString()).toList();
        StepKey key = StepKey.of(step, diffIds, config.env(), config.workdir());
        Optional<Layer> existing = order.force()
                ? Optional.empty()
                : records.steps().find(order.environment(), key).filter(layer -> layout.has(layer.digest()));
        String message = "step %d of %d: %s".formatted(index + 1, count, step.title());
        progress.phase(message, index + 1, count, existing.isPresent());
        return existing.orElseGet(() -> {
            Layer made = stepLayers.make(order.environment(), index + 1, step, below, config, progress);
            records.steps().put(order.environment(), key, made);
            return made;
        });
    }

    private Path logFile(Order order) {
        String id = new Fingerprint("log")
                .add(order.environment())
                .add(order.recipeDigest())
                .digest();
        return folders.logs().resolve(Digest.parse(id).hex().substring(0, 32) + ".log");
    }
}
