package dev.slate.image.layout;

import dev.slate.image.recipe.ImageRecipe;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What containers of an image start with. */
public record RuntimeConfig(SortedMap<String, String> env, String workdir, List<String> entrypoint, String user) {
    public RuntimeConfig {
        env = Collections.unmodifiableSortedMap(new TreeMap<>(env));
        entrypoint = List.copyOf(entrypoint);
    }

    /** Nothing set. */
    public static RuntimeConfig none() {
        return new RuntimeConfig(new TreeMap<>(), "", List.of(), "");
    }

    /** This configuration with what a recipe sets on top. */
    public RuntimeConfig with(ImageRecipe.Settings settings) {
        SortedMap<String, String> merged = new TreeMap<>(env);
        merged.putAll(settings.env());
        return new RuntimeConfig(
                merged,
                settings.workdir().isEmpty() ? workdir : settings.workdir(),
                settings.entrypoint().isEmpty() ? entrypoint : settings.entrypoint(),
                settings.user().isEmpty() ? user : settings.user());
    }
}
