package dev.slate.image.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.PlatformException;
import dev.slate.image.layout.RuntimeConfig;
import dev.slate.image.recipe.AddedFile;
import dev.slate.image.recipe.Step;
import dev.slate.tree.Digest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStepIT {
    private static final byte[] BODY = "print('hello')\n".getBytes(StandardCharsets.UTF_8);
    private static final String SHA256 = Digest.of(BODY).hex();

    @TempDir
    Path home;

    @Test
    void putsFilesOnTopOfALayer() throws IOException {
        var images = new TestImages(home);
        images.uploads.put("default", SHA256, new ByteArrayInputStream(BODY));

        var layer = images.make(step(), images.base, RuntimeConfig.none());

        var layers = new ArrayList<>(images.base);
        layers.add(layer);
        var top = images.directories.prepare(layers).getFirst();
        assertThat(top.resolve("tmp/agent.py")).hasBinaryContent(BODY);
        assertThat(Files.getAttribute(top.resolve("tmp"), "unix:mode")).isEqualTo(041777);
        assertThat(Files.readSymbolicLink(top.resolve("link"))).hasToString("/tmp/agent.py");
        assertThat(Files.getAttribute(top.resolve("folder"), "unix:mode")).isEqualTo(040700);
    }

    @Test
    void makesTheSameLayerWhateverIsBelow() {
        var images = new TestImages(home);
        images.uploads.put("default", SHA256, new ByteArrayInputStream(BODY));

        var one = images.make(step(), images.base, RuntimeConfig.none());
        var other = images.make(step(), List.of(), RuntimeConfig.none());

        assertThat(other).isEqualTo(one);
    }

    @Test
    void asksForFilesThatWereNotUploaded() {
        var images = new TestImages(home);

        assertThatThrownBy(() -> images.make(step(), images.base, RuntimeConfig.none()))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("PUT /v1/images/files/" + SHA256);
    }

    @Test
    void refusesABodyThatIsNotWhatItsDigestSays() {
        var images = new TestImages(home);

        assertThatThrownBy(() -> images.uploads.put("default", "0".repeat(64), new ByteArrayInputStream(BODY)))
                .hasMessageContaining("sha256 of the body");
        assertThat(images.uploads.missing("default", List.of("0".repeat(64)))).hasSize(1);
    }

    @Test
    void refusesABodyThatIsTooLong() {
        var images = new TestImages(home);
        var large = new byte[(1 << 20) + 1];

        assertThatThrownBy(() -> images.uploads.put("default", Digest.of(large).hex(), new ByteArrayInputStream(large)))
                .hasMessageContaining("more than 1048576 bytes");
    }

    @Test
    void doesNotTellOneEnvironmentWhatAnotherHasUploaded() {
        var images = new TestImages(home);

        images.uploads.put("default", SHA256, new ByteArrayInputStream(BODY));

        assertThat(images.uploads.missing("default", List.of(SHA256))).isEmpty();
        assertThat(images.uploads.missing("other", List.of(SHA256, SHA256))).containsExactly(SHA256);
    }

    private static Step step() {
        return new Step.AddFiles(List.of(
                new AddedFile("/tmp/agent.py", 0, new AddedFile.Content.Body(SHA256)),
                new AddedFile("/link", 0, new AddedFile.Content.Link("/tmp/agent.py")),
                new AddedFile("/folder", 0700, new AddedFile.Content.Directory())));
    }
}
