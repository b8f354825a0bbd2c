package dev.slate.cli.image;

import dev.slate.cli.common.Typed;
import dev.slate.sdk.Image;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** One option that adds to an image; exactly one of the fields is set. */
final class ImageStep {

    @Option(names = "--apt", paramLabel = "PACKAGES", description = "Install Debian packages: a,b,c.")
    private @Nullable String apt;

    @Option(names = "--run", paramLabel = "COMMAND", description = "Run a shell command.")
    private @Nullable String run;

    @Option(names = "--add", paramLabel = "LOCAL:PATH", description = "Add a local file or directory.")
    private @Nullable String add;

    @Option(names = "--image-env", paramLabel = "NAME=VALUE", description = "Set a variable in the image.")
    private @Nullable String env;

    @Option(names = "--image-workdir", paramLabel = "PATH", description = "Where commands start.")
    private @Nullable String workdir;

    @Option(names = "--image-user", paramLabel = "USER", description = "Who commands run as.")
    private @Nullable String user;

    Image addTo(Image image) {
        if (apt != null) {
            return image.aptInstall(List.of(apt.split("[, ]+")));
        }
        if (run != null) {
            return image.runCommands(run);
        }
        if (add != null) {
            return add(image, add);
        }
        if (env != null) {
            var pair = Typed.pair("--image-env", env);
            return image.env(pair.getKey(), pair.getValue());
        }
        if (workdir != null) {
            return image.workdir(workdir);
        }
        return user == null ? image : image.user(user);
    }

    private static Image add(Image image, String text) {
        int colon = text.lastIndexOf(":/");
        if (colon < 1) {
            throw new IllegalArgumentException("--add: " + text + " (expected: LOCAL:/absolute/path)");
        }
        var local = Path.of(text.substring(0, colon));
        var path = text.substring(colon + 1);
        return Files.isDirectory(local) ? image.addLocalDir(local, path) : image.addLocalFile(local, path);
    }
}
