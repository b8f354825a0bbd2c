package dev.slate.image.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.PlatformException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageReferenceTest {
    @ParameterizedTest
    @CsvSource({
        "alpine, docker.io/library/alpine:latest",
        "alpine:3.22, docker.io/library/alpine:3.22",
        "team/app, docker.io/team/app:latest",
        "docker.io/library/alpine:3.22, docker.io/library/alpine:3.22",
        "localhost/app, localhost/app:latest",
        "registry.example.com:5000/team/app:v1, registry.example.com:5000/team/app:v1",
        "127.0.0.1:5000/app, 127.0.0.1:5000/app:latest",
        "[::1]:5000/app:v1, [::1]:5000/app:v1"
    })
    void readsReferencesAsContainerToolsDo(String text, String meaning) {
        assertThat(ImageReference.parse(text)).hasToString(meaning);
    }

    @Test
    void prefersTheDigestToTheTag() {
        var digest = "sha256:" + "a".repeat(64);

        assertThat(ImageReference.parse("registry.example.com/app:v1@" + digest).version())
                .isEqualTo(digest);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Alpine",
                "app:",
                "app@sha256:abc",
                "https://registry.example.com/app",
                "a/../b",
                "app:v 1",
                "user@host/app"
            })
    void refusesWhatIsNoReference(String text) {
        assertThatThrownBy(() -> ImageReference.parse(text))
                .isInstanceOf(PlatformException.class)
                .hasMessageStartingWith("base: ");
    }
}
