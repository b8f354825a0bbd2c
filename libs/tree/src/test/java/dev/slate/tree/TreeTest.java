package dev.slate.tree;

import static dev.slate.tree.Trees.directory;
import static dev.slate.tree.Trees.file;
import static dev.slate.tree.Trees.path;
import static dev.slate.tree.Trees.tree;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TreeTest {
    private static final Tree SAMPLE = tree(Map.of(
            "a",
            file("1"),
            "d",
            directory(),
            "d/é",
            file("2"),
            "d/s",
            new Entry.Symlink(Attributes.of(0777, Instant.EPOCH), "../a")));

    @Test
    void readsBackWhatItWrote() {
        assertThat(Tree.parse(SAMPLE.toBytes())).isEqualTo(SAMPLE);
    }

    @Test
    void hasOneNamePinnedForAllTime() {
        assertThat(Tree.EMPTY.digest())
                .hasToString("sha256:0e5ca51719b00932bcbc5fb64764c864a78db3eb45cc220b7544957d1d41095d");
    }

    @Test
    void refusesEveryTruncation() {
        var bytes = SAMPLE.toBytes();

        for (int length = 0; length < bytes.length; length++) {
            var cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> Tree.parse(cut)).isInstanceOf(TreeException.class);
        }
    }

    @Test
    void refusesBytesAfterTheEnd() {
        var longer = Arrays.copyOf(SAMPLE.toBytes(), SAMPLE.toBytes().length + 1);

        assertThatThrownBy(() -> Tree.parse(longer)).isInstanceOf(TreeException.class);
    }

    @Test
    void refusesAnotherFormatVersion() {
        var bytes = SAMPLE.toBytes();
        bytes[7] = 2;

        assertThatThrownBy(() -> Tree.parse(bytes))
                .isInstanceOf(TreeException.class)
                .hasMessageContaining("format 2");
    }

    @Test
    void refusesFilesBelowFiles() {
        assertThatThrownBy(() -> tree(Map.of("a", file("1"), "a/b", file("2")))).isInstanceOf(TreeException.class);
    }

    @Test
    void refusesXattrsOfTheOverlay() {
        assertThatThrownBy(() -> new Attributes(
                        0644, 0, 0, Instant.EPOCH, new TreeMap<>(Map.of("trusted.overlay.redirect", "2f"))))
                .isInstanceOf(TreeException.class);
    }

    @Test
    void appliesReplacementOfADirectoryByAFile() {
        var result = SAMPLE.apply(List.of(new Change.Put(path("d"), file("3"), 0)));

        assertThat(result).isEqualTo(tree(Map.of("a", file("1"), "d", file("3"))));
    }

    @Test
    void appliesHiddenDirectory() {
        var result = SAMPLE.apply(List.of(
                new Change.PutDirectory(path("d"), directory(), new Below.Nothing()),
                new Change.Put(path("d/new"), file("3"), 0)));

        assertThat(result).isEqualTo(tree(Map.of("a", file("1"), "d", directory(), "d/new", file("3"))));
    }

    @Test
    void appliesRenameOfADirectory() {
        var result = tree(Map.of("d", directory(), "d/x", file("1"), "d/y", file("2")))
                .apply(List.of(
                        new Change.Delete(path("d")),
                        new Change.PutDirectory(path("e"), directory(), new Below.MovedFrom(path("d"))),
                        new Change.Delete(path("e/x"))));

        assertThat(result).isEqualTo(tree(Map.of("e", directory(), "e/y", file("2"))));
    }
}
