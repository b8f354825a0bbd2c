package dev.slate.image.step;

import dev.slate.common.id.IdSource;
import dev.slate.image.base.TestBase;
import dev.slate.image.config.ImageFolders;
import dev.slate.image.layout.Images;
import dev.slate.image.layout.LayerBlobs;
import dev.slate.image.layout.LayerDirectories;
import dev.slate.image.layout.OciLayout;
import dev.slate.image.layout.RuntimeConfig;
import dev.slate.image.progress.BuildEvent;
import dev.slate.image.progress.Progress;
import dev.slate.image.recipe.Step;
import dev.slate.image.upload.UploadedFiles;
import dev.slate.runsc.BindMount;
import dev.slate.runsc.ContainerNetwork;
import dev.slate.runsc.HostLayout;
import dev.slate.runsc.ResourceLimits;
import dev.slate.tree.layer.Layer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** An image builder without database and network, in a folder of its own, on top of the shared base. */
final class TestImages {
    final ImageFolders folders;
    final OciLayout layout;
    final Images images;
    final LayerDirectories directories;
    final UploadedFiles uploads;
    final List<Layer> base;
    private final StepLayers steps;
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();

    TestImages(Path home) {
        this(home, List.of(), Duration.ofMinutes(2));
    }

    TestImages(Path home, List<BindMount> injected, Duration timeLimit) {
        folders = new ImageFolders(home);
        layout = new OciLayout(folders);
        images = new Images(layout);
        directories = new LayerDirectories(folders, layout);
        uploads = new UploadedFiles(folders, 1 << 20);
        base = TestBase.layers(layout, images);
        LayerBlobs blobs = new LayerBlobs(layout);
        StepSandbox sandbox = new StepSandbox(HostLayout.of(home), timeLimit, ResourceLimits.NONE);
        CommandStep commands = new CommandStep(
                folders, directories, blobs, _ -> new NoNetwork(injected), sandbox, new IdSource(), Clock.systemUTC());
        steps = new StepLayers(new FileStep(uploads, blobs), commands);
    }

    Layer run(List<Layer> below, String command) {
        return run(below, command, RuntimeConfig.none());
    }

    Layer run(List<Layer> below, String command, RuntimeConfig config) {
        return make(new Step.RunCommand(command), below, config);
    }

    Layer make(Step step, List<Layer> below, RuntimeConfig config) {
        Progress progress = event -> {
            if (event instanceof BuildEvent.Log log) {
                output.writeBytes(log.output());
            }
        };
        return steps.make("default", 1, step, below, config, progress);
    }

    String output() {
        return output.toString(StandardCharsets.UTF_8);
    }

    private record NoNetwork(List<BindMount> mounts) implements BuildNetwork.Connection {
        @Override
        public ContainerNetwork network() {
            return new ContainerNetwork.None();
        }

        @Override
        public Map<String, String> environment() {
            return Map.of();
        }

        @Override
        public void close() {}
    }
}
