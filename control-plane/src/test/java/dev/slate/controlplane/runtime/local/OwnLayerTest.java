package dev.slate.controlplane.runtime.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnLayerTest {
    @TempDir
    Path host;

    @ParameterizedTest
    @ValueSource(strings = {"/../outside", "/a/../../outside", "/..", "/./a/../../outside"})
    void refusesFoldersOutsideOfTheLayer(String path) throws IOException {
        Path folder = Files.createDirectory(host.resolve("layer"));
        OwnLayer layer = new OwnLayer(folder, List.of());

        assertThatThrownBy(() -> layer.folder(path)).isInstanceOf(IOException.class);

        assertThat(host.resolve("outside")).doesNotExist();
    }

    @Test
    void makesFoldersInside() throws IOException {
        Path folder = Files.createDirectory(host.resolve("layer"));

        new OwnLayer(folder, List.of()).folder("/srv/app/");

        assertThat(folder.resolve("srv/app")).isDirectory();
    }
}
