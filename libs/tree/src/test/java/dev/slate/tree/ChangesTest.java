package dev.slate.tree;

import static dev.slate.tree.Trees.directory;
import static dev.slate.tree.Trees.file;
import static dev.slate.tree.Trees.path;
import static dev.slate.tree.Trees.tree;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChangesTest {
    private static final Lower LOWER = Lower.tree(
            tree(Map.of("d", directory(), "d/x", file("1"), "d/y", file("2"), "e", directory(), "e/x", file("3"))));

    @Test
    void dropsCopiesThatDidNotChange() throws IOException {
        var changes = changes(
                new Change.PutDirectory(TreePath.ROOT, later(), new Below.Same()),
                new Change.PutDirectory(path("d"), later(), new Below.Same()),
                new Change.Put(path("d/x"), file("1"), 0),
                new Change.Delete(path("never")));

        assertThat(changes.withoutNoOps(LOWER).list()).isEmpty();
    }

    @Test
    void keepsDirectoriesAboveAChange() throws IOException {
        var changes = changes(
                new Change.PutDirectory(path("d"), later(), new Below.Same()),
                new Change.Put(path("d/x"), file("new"), 0));

        assertThat(changes.withoutNoOps(LOWER)).isEqualTo(changes);
    }

    @Test
    void keepsEqualFileInsideAHiddenDirectory() throws IOException {
        var changes = changes(
                new Change.PutDirectory(path("d"), directory(), new Below.Nothing()),
                new Change.Put(path("d/x"), file("1"), 0));

        assertThat(changes.withoutNoOps(LOWER)).isEqualTo(changes);
    }

    @Test
    void keepsEqualFileInsideARenamedDirectory() throws IOException {
        var changes = changes(
                new Change.PutDirectory(path("d"), directory(), new Below.MovedFrom(path("e"))),
                new Change.Put(path("d/x"), file("1"), 0));

        assertThat(changes.withoutNoOps(LOWER)).isEqualTo(changes);
    }

    @Test
    void namesWhatAHiddenDirectoryHides() throws IOException {
        var changes = changes(
                new Change.PutDirectory(path("d"), directory(), new Below.Nothing()),
                new Change.Put(path("d/x"), file("1"), 0));

        var explicit = changes.withExplicitDeletes(LOWER).withoutNoOps(LOWER);

        assertThat(explicit.list())
                .containsExactly(
                        new Change.PutDirectory(path("d"), directory(), new Below.Same()),
                        new Change.Delete(path("d/y")));
    }

    private static Changes changes(Change... changes) {
        return new Changes(List.of(changes), List.of());
    }

    private static Entry.Directory later() {
        return new Entry.Directory(Attributes.of(0755, Instant.ofEpochSecond(1_800_000_000)));
    }
}
