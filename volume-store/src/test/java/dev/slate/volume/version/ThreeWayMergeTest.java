package dev.slate.volume.version;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.tree.Attributes;
import dev.slate.tree.Digest;
import dev.slate.tree.Entry;
import dev.slate.tree.Tree;
import dev.slate.tree.TreePath;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreeWayMergeTest {
    /** Trees as words: {@code path=content}, {@code path/} for a directory; parents are made. Conflicts as paths. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "f=1,            f=1,           f=1,          f=1,             -",
                "f=1,            f=2,           f=1,          f=2,             -",
                "f=1,            f=1,           f=2,          f=2,             -",
                "f=1,            f=2,           f=2,          f=2,             -",
                "f=1,            f=2,           f=3,          f=2,             f",
                "-,              a=1,           b=2,          a=1 b=2,         -",
                "-,              a=1,           a=2,          a=1,             a",
                "f=1,            -,             f=1,          -,               -",
                "f=1,            -,             f=2,          f=2,             f",
                "f=1,            f=2,           -,            f=2,             f",
                "d/x=1,          -,             d/x=1 d/y=2,  d/y=2,           -",
                "d/x=1,          d/x=1 d/y=2,   -,            d/y=2,           -",
                "d/x=1,          d=2,           d/x=1 d/y=2,  d=2,             d d/y",
                "d/x=1,          d/x=1 d/y=2,   d=2,          d/y=2,           d",
                "d/x=1,          d=2,           d/x=1,        d=2,             -",
                "d/x=1,          d/x=1,         d=2,          d=2,             -",
                "d/x=1,          d/x=2,         d/x=1 d/z=3,  d/x=2 d/z=3,     -",
                "d/x=1,          e/x=1,         d/x=1 d/n=2,  d/n=2 e/x=1,     -",
                "-,              d/,            d/x=1,        d/x=1,           -",
                "d/,             -,             d/,           -,               -",
            })
    void mergesByPath(String base, String ours, String theirs, String merged, String conflicts) {
        MergeResult result = ThreeWayMerge.merge(tree(base), tree(ours), tree(theirs));

        assertThat(result.tree()).isEqualTo(tree(merged));
        assertThat(result.conflicts()).extracting(TreePath::value).containsExactlyElementsOf(words(conflicts));
    }

    @Test
    void joinsNewContentWithNewMode() {
        Tree base = single(file("1", 0644));

        MergeResult result = ThreeWayMerge.merge(base, single(file("2", 0644)), single(file("1", 0600)));

        assertThat(result).isEqualTo(new MergeResult(single(file("2", 0600)), List.of()));
    }

    private static Tree single(Entry entry) {
        TreeMap<TreePath, Entry> entries = new TreeMap<>(Tree.EMPTY.entries());
        entries.put(new TreePath("f"), entry);
        return new Tree(entries);
    }

    private static Tree tree(String words) {
        TreeMap<TreePath, Entry> entries = new TreeMap<>(Tree.EMPTY.entries());
        for (String word : words(words)) {
            String path = word.split("=", 2)[0];
            TreePath at = new TreePath(path.endsWith("/") ? path.substring(0, path.length() - 1) : path);
            for (TreePath up = at.parent().orElseThrow();
                    !up.isRoot();
                    up = up.parent().orElseThrow()) {
                entries.put(up, new Entry.Directory(Attributes.of(0755, Instant.EPOCH)));
            }
            entries.put(
                    at,
                    path.endsWith("/")
                            ? new Entry.Directory(Attributes.of(0755, Instant.EPOCH))
                            : file(word.split("=", 2)[1], 0644));
        }
        return new Tree(entries);
    }

    private static Entry file(String content, int mode) {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        return new Entry.File(Attributes.of(mode, Instant.EPOCH), bytes.length, Digest.of(bytes));
    }

    private static List<String> words(String text) {
        return text == null ? List.of() : Arrays.asList(text.split(" "));
    }
}
