package dev.slate.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountsIT {
    @TempDir
    private Path root;

    @Test
    void stacksLayersTopFirst() throws IOException {
        var upper = Files.createDirectories(root.resolve("up, with:odd\\name"));
        var lower = Files.createDirectories(root.resolve("low"));
        Files.writeString(upper.resolve("f"), "upper");
        Files.writeString(lower.resolve("f"), "lower");
        var target = Files.createDirectories(root.resolve("tar get"));

        Mounts.layers(List.of(upper, lower), target);
        try {
            assertThat(target.resolve("f")).hasContent("upper");
            assertThat(Mounts.isMounted(target)).isTrue();
        } finally {
            Mounts.unmount(target);
        }
        assertThat(Mounts.isMounted(target)).isFalse();
    }

    @Test
    void bindsReadOnly() throws IOException {
        var source = Files.createDirectories(root.resolve("source"));
        var target = Files.createDirectories(root.resolve("target"));

        Mounts.bind(source, target, true);
        try {
            assertThatThrownBy(() -> Files.createFile(target.resolve("x"))).isInstanceOf(FileSystemException.class);
        } finally {
            Mounts.unmount(target);
        }
    }

    @Test
    void unmountsTwiceWithoutComplaint() throws IOException {
        Mounts.unmount(root);
        Mounts.unmount(root.resolve("absent"));

        assertThat(Mounts.isMounted(root)).isFalse();
    }
}
