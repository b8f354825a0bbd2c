package dev.slate.image.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.image.config.ImageFolders;
import dev.slate.image.layout.Images;
import dev.slate.image.layout.LayerDirectories;
import dev.slate.image.layout.OciLayout;
import dev.slate.image.recipe.ImageReference;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegistryImagesIT {
    private static final String DOCKER = "application/vnd.docker.distribution.";
    private static final byte[] TAR = Tars.ofFile("hello", "hi\n");

    @TempDir
    Path home;

    private final TestRegistry registry = new TestRegistry();
    private OciLayout layout;
    private Images images;
    private RegistryImages pulls;
    private LayerDirectories directories;

    @BeforeEach
    void open() {
        var folders = new ImageFolders(home);
        layout = new OciLayout(folders);
        images = new Images(layout);
        pulls = RegistryImages.of(layout, images);
        directories = new LayerDirectories(folders, layout);
    }

    @AfterEach
    void close() {
        registry.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {DOCKER, "application/vnd.oci."})
    void pullsTheImageOfThisPlatform(String vendor) {
        var digest = registry.addImage("team/app", "v1", TAR, Images.architecture(), vendor);

        var image = pulls.pull(reference("team/app:v1"), _ -> {});

        assertThat(image.digest()).isEqualTo(digest);
        assertThat(image.config().workdir()).isEqualTo("/srv");
        assertThat(image.config().env()).containsEntry("PATH", "/bin").containsEntry("ODD.NAME", "x");
        assertThat(directories.prepare(image.layers()).getFirst().resolve("hello"))
                .hasContent("hi\n");
        assertThat(home.resolve("images/oci/index.json")).content().contains(digest.toString());
    }

    @Test
    void fetchesEachBlobOnce() {
        registry.addImage("app", "v1", TAR, Images.architecture(), DOCKER);
        pulls.pull(reference("app:v1"), _ -> {});
        registry.requests().clear();

        pulls.pull(reference("app:v1"), _ -> {});

        assertThat(registry.requests()).isNotEmpty().noneMatch(path -> path.contains("/blobs/"));
    }

    @Test
    void refusesABlobThatIsNotWhatItsDigestSays() {
        registry.addImage("app", "v1", TAR, Images.architecture(), DOCKER);
        registry.paths().stream().filter(path -> path.contains("/blobs/")).forEach(registry::damage);

        assertThatThrownBy(() -> pulls.pull(reference("app:v1"), _ -> {}))
                .isInstanceOfSatisfying(
                        PlatformException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("the registry sent sha256:");
        assertThat(home.resolve("images/work")).isEmptyDirectory();
        assertThat(home.resolve("images/oci/blobs/sha256")).isEmptyDirectory();
    }

    @Test
    void refusesAManifestThatIsNotWhatItsDigestSays() {
        var digest = registry.addImage("app", "v1", TAR, Images.architecture(), DOCKER);
        registry.damage("app/manifests/" + digest);

        assertThatThrownBy(() -> pulls.pull(reference("app@" + digest), _ -> {}))
                .hasMessageContaining("expected: " + digest);
    }

    @Test
    void saysThatThereIsNoImageForThisPlatform() {
        registry.addImage("app", "v1", TAR, "s390x", DOCKER);

        assertThatThrownBy(() -> pulls.pull(reference("app:v1"), _ -> {}))
                .hasMessageContaining("no image for linux/" + Images.architecture());
    }

    @Test
    void saysThatAnImageIsUnknown() {
        assertThatThrownBy(() -> pulls.pull(reference("nothing:v1"), _ -> {}))
                .isInstanceOfSatisfying(
                        PlatformException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }

    @Test
    void refusesALayerThatLeadsOutOfTheImage() {
        var hostile = Tars.ofLinkAndFile("out", home.toString(), "out/escaped", "gotcha");
        registry.addImage("app", "v1", hostile, Images.architecture(), DOCKER);
        var image = pulls.pull(reference("app:v1"), _ -> {});

        assertThatThrownBy(() -> directories.prepare(image.layers()))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("leads through a symlink");
        assertThat(home.resolve("escaped")).doesNotExist();
        assertThat(home.resolve("images/l")).isEmptyDirectory();
    }

    @Test
    void refusesAddressesThatServeTheHostOnly() {
        assertThatThrownBy(() -> pulls.pull(ImageReference.parse("169.254.169.254/app:v1"), _ -> {}))
                .hasMessageContaining("no link-local address");
    }

    private ImageReference reference(String path) {
        return ImageReference.parse(registry.host() + "/" + path);
    }
}
