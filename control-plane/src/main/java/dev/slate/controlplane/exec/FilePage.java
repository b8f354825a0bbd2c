package dev.slate.controlplane.exec;

import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.agent.FileEntry;
import java.util.Collection;
import java.util.TreeMap;

/**
 * The first entries of a directory after a name, in the order of names, from entries in any order: a directory of a
 * sandbox is not trusted to be small, so no more than a page is kept. Confined to one thread.
 */
final class FilePage {
    private static final int LARGEST = 10_000;
    /** Of all paths in a page, so that it fits into a message. */
    private static final int MOST_BYTES = 8 << 20;
    /** The longest name in text form, and the rest of an entry. */
    private static final int ENTRY_BYTES = 4 * 255 + 64;

    private final int size;
    private final String after;
    private final TreeMap<String, FileEntry> entries = new TreeMap<>();
    private boolean more;

    FilePage(String folder, int size, String after) {
        if (size < 0 || size > LARGEST) {
            throw PlatformException.invalid("page_size", size, "at most " + LARGEST);
        }
        int fitting = Math.max(1, MOST_BYTES / (3 * folder.length() + ENTRY_BYTES));
        this.size = Math.min(size == 0 ? LARGEST : size, fitting);
        this.after = after;
    }

    void offer(FileEntry entry) {
        if (entry.name().compareTo(after) <= 0) {
            return;
        }
        entries.put(entry.name(), entry);
        if (entries.size() > size) {
            var _ = entries.pollLastEntry();
            more = true;
        }
    }

    Collection<FileEntry> entries() {
        return entries.values();
    }

    /** The name that the next page begins after; empty if there is none. */
    String nextToken() {
        return more ? entries.lastKey() : "";
    }
}
