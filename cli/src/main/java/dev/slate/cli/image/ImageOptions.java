package dev.slate.cli.image;

import dev.slate.sdk.Image;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** A recipe from options; its steps keep the order of the command line. */
public final class ImageOptions {

    @Option(
            names = {"-i", "--image"},
            paramLabel = "IMAGE",
            description = "debian-slim (default), a reference such as docker.io/library/alpine:3.22,"
                    + " or the sha256:… of a built image.")
    private String base = "debian-slim";

    @ArgGroup(exclusive = true, multiplicity = "0..*", heading = "Steps on top of the image, in the order given:%n")
    private List<ImageStep> steps = new ArrayList<>();

    /** Whether an image that was built before is named by its digest. */
    public boolean isDigest() {
        if (base.startsWith("sha256:") && !steps.isEmpty()) {
            throw new IllegalArgumentException("--image: " + base + " (expected: no further steps on a built image)");
        }
        return base.startsWith("sha256:");
    }

    public String digest() {
        return base;
    }

    public Image image() {
        var image = "debian-slim".equals(base) ? Image.debianSlim() : Image.base(base);
        for (var step : steps) {
            image = step.addTo(image);
        }
        return image;
    }
}
