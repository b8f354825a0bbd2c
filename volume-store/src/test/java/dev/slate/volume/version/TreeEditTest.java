package dev.slate.volume.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.PlatformException;
import dev.slate.tree.Digest;
import dev.slate.tree.Entry;
import dev.slate.tree.Tree;
import dev.slate.tree.TreePath;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TreeEditTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Digest BODY = Digest.of(new byte[] {1});

    @Test
    void putMakesDirectoriesAbove() {
        Tree tree = edit(Tree.EMPTY, put("a/b/c", 0));

        assertThat(tree.entries().keySet()).extracting(TreePath::value).containsExactly("", "a", "a/b", "a/b/c");
        assertThat(mode(tree, "a/b/c")).isEqualTo(0644);
        assertThat(mode(tree, "a")).isEqualTo(0755);
    }

    @Test
    void putKeepsTheModeOfAnExistingFileUnlessItNamesOne() {
        Tree tree = edit(Tree.EMPTY, put("f", 0750));

        assertThat(mode(edit(tree, put("f", 0)), "f")).isEqualTo(0750);
        assertThat(mode(edit(tree, put("f", 0600)), "f")).isEqualTo(0600);
    }

    @Test
    void removeTakesADirectoryWithAllItHolds() {
        Tree tree = edit(Tree.EMPTY, put("d/x", 0), put("d/e/y", 0), put("d.txt", 0));

        Tree result = edit(tree, new FileEdit.Remove(new TreePath("d")));

        assertThat(result.entries().keySet()).extracting(TreePath::value).containsExactly("", "d.txt");
    }

    @Test
    void refusesWhatDoesNotFit() {
        Tree tree = edit(Tree.EMPTY, put("f", 0), put("d/x", 0));

        assertThatThrownBy(() -> edit(tree, put("f/g", 0))).isInstanceOf(PlatformException.class);
        assertThatThrownBy(() -> edit(tree, put("d", 0))).isInstanceOf(PlatformException.class);
        assertThatThrownBy(() -> edit(tree, put("", 0))).isInstanceOf(PlatformException.class);
        assertThatThrownBy(() -> edit(tree, put("g", 010000))).isInstanceOf(PlatformException.class);
        assertThatThrownBy(() -> edit(tree, new FileEdit.Remove(new TreePath("absent"))))
                .isInstanceOf(PlatformException.class);
    }

    @Test
    void keepsLinksAsTheyAre() {
        Tree tree = edit(Tree.EMPTY, new FileEdit.PutSymlink(new TreePath("l"), "../a//b/"));

        assertThat(tree.find(new TreePath("l")))
                .hasValueSatisfying(
                        entry -> assertThat(((Entry.Symlink) entry).target()).isEqualTo("../a//b/"));
    }

    private static Tree edit(Tree tree, FileEdit... edits) {
        return TreeEdit.apply(tree, List.of(edits), NOW);
    }

    private static FileEdit put(String path, int mode) {
        return new FileEdit.PutFile(new TreePath(path), BODY, 1, mode);
    }

    private static int mode(Tree tree, String path) {
        return tree.find(new TreePath(path)).orElseThrow().attributes().mode();
    }
}
