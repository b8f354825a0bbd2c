package dev.slate.image.step;

import dev.slate.image.layout.RuntimeConfig;
import dev.slate.image.progress.Progress;
import dev.slate.image.recipe.Step;
import dev.slate.tree.layer.Layer;
import jakarta.inject.Singleton;
import java.util.List;

/** Makes the layer of a step of any kind. Thread-safe. */
@Singleton
public class StepLayers {
    private final FileStep files;
    private final CommandStep commands;

    public StepLayers(FileStep files, CommandStep commands) {
        this.files = files;
        this.commands = commands;
    }

    /** The layer on top of others, the lowest first; its blob is in the layout. */
    public Layer make(
            String environment, int number, Step step, List<Layer> below, RuntimeConfig config, Progress progress) {
        return switch (step) {
            case Step.AddFiles added -> files.make(environment, added);
            case Step.Command command -> commands.make(new CommandStep.Run(number, command, below, config), progress);
        };
    }
}
