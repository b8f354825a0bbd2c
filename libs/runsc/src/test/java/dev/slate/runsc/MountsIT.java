package dev.slate.runsc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MountsIT {

    private Path folder;
    private Path target;

    @BeforeEach
    void create() throws IOException {
        folder = Files.createTempDirectory("slate mounts ");
        target = Files.createDirectory(folder.resolve("target"));
    }

    @AfterEach
    void remove() {
        Mounts.below(folder).forEach(Mounts::unmount);
        TestHost.delete(folder);
    }

    @Test
    void overlaysMoreLayersThanFitIntoOneOption() throws IOException {
        List<Path> lowers = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            Path lower = Files.createDirectory(folder.resolve("a-layer-with-a-rather-long-name-" + i));
            Files.writeString(lower.resolve("number"), Integer.toString(i));
            Files.writeString(lower.resolve("file" + i), "");
            lowers.add(lower);
        }
        Path upper = Files.createDirectory(folder.resolve("upper"));
        Path work = Files.createDirectory(folder.resolve("work"));

        Mounts.overlay(OverlayMount.writable(lowers, upper, work), target);
        Files.writeString(target.resolve("new"), "content");

        assertThat(target.resolve("number")).hasContent("0");
        assertThat(target.resolve("file119")).exists();
        assertThat(upper.resolve("new")).hasContent("content");
        assertThat(Mounts.below(folder)).containsExactly(target);
        Mounts.unmount(target);
        Mounts.unmount(target);
        assertThat(Mounts.below(folder)).isEmpty();
    }

    @Test
    void readOnlyBindRefusesWrites() throws IOException {
        Path source = Files.createDirectory(folder.resolve("source"));

        Mounts.bind(source, target, true);

        assertThatThrownBy(() -> Files.createFile(target.resolve("x"))).hasMessageContaining("Read-only");
        assertThat(Files.createFile(source.resolve("x"))).exists();
    }

    @Test
    void saysWhatTheKernelDidNotLike() {
        OverlayMount overlay = OverlayMount.readOnly(List.of(folder.resolve("missing")));

        assertThatThrownBy(() -> Mounts.overlay(overlay, target))
                .isInstanceOf(RunscException.class)
                .hasMessageContaining("lowerdir+=" + folder.resolve("missing"))
                .hasMessageContaining("error 2");
    }
}
