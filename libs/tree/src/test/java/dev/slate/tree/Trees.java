package dev.slate.tree;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/** Short ways to write trees in tests. */
final class Trees {
    static final Instant TIME = Instant.ofEpochSecond(1_700_000_000, 5);

    private Trees() {}

    static Entry.File file(String content) {
        var bytes = content.getBytes(StandardCharsets.UTF_8);
        return new Entry.File(Attributes.of(0644, TIME), bytes.length, Digest.of(bytes));
    }

    static Entry.Directory directory() {
        return new Entry.Directory(Attributes.of(0755, TIME));
    }

    static TreePath path(String path) {
        return new TreePath(path);
    }

    static Tree tree(Map<String, Entry> entries) {
        var all = new TreeMap<TreePath, Entry>();
        all.put(TreePath.ROOT, directory());
        entries.forEach((path, entry) -> all.put(path(path), entry));
        return new Tree(all);
    }
}
