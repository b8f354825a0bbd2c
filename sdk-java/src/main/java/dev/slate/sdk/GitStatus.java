package dev.slate.sdk;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * What differs between a directory and its last commit.
 *
 * @param branch empty when the head is detached
 * @param upstream the branch that it follows
 * @param ahead commits that the upstream lacks
 * @param behind commits that only the upstream has
 */
public record GitStatus(
        Optional<String> branch, Optional<String> upstream, int ahead, int behind, List<Change> changes) {

    public GitStatus {
        changes = List.copyOf(changes);
    }

    /**
     * A file that differs.
     *
     * @param before its path before a rename or copy
     * @param staged as git has it: {@code M}, {@code A}, {@code D}, {@code R}, {@code C}, {@code U}, {@code T}, or
     *     {@code .} for no difference; {@code ?} for a file that git does not know
     * @param unstaged the same, for what is not staged
     */
    public record Change(String path, Optional<String> before, char staged, char unstaged) {}

    public boolean clean() {
        return changes.isEmpty();
    }

    /** Reads {@code git status --porcelain=v2 --branch -z}, which comes from a sandbox and may be anything. */
    static GitStatus parse(String text) {
        try {
            return read(text);
        } catch (IndexOutOfBoundsException | NumberFormatException | NoSuchElementException e) {
            throw SlateException.gitUnreadable(e);
        }
    }

    private static GitStatus read(String text) {
        var branch = Optional.<String>empty();
        var upstream = Optional.<String>empty();
        var ahead = 0;
        var behind = 0;
        var changes = new ArrayList<Change>();
        for (var entries = List.of(text.split("\0", -1)).iterator(); entries.hasNext(); ) {
            var entry = entries.next();
            var words = entry.split(" ", -1);
            if (entry.startsWith("# branch.head ")) {
                branch = Optional.of(words[2]).filter(name -> !name.equals("(detached)"));
            } else if (entry.startsWith("# branch.upstream ")) {
                upstream = Optional.of(words[2]);
            } else if (entry.startsWith("# branch.ab ")) {
                ahead = Integer.parseInt(words[2]);
                behind = -Integer.parseInt(words[3]);
            } else {
                change(entry, entries).ifPresent(changes::add);
            }
        }
        return new GitStatus(branch, upstream, ahead, behind, changes);
    }

    private static Optional<Change> change(String entry, Iterator<String> more) {
        return switch (entry.isEmpty() ? ' ' : entry.charAt(0)) {
            case '1' -> Optional.of(change(entry, 9, Optional.empty()));
            case '2' -> Optional.of(change(entry, 10, Optional.of(more.next())));
            case 'u' -> Optional.of(change(entry, 11, Optional.empty()));
            case '?' -> Optional.of(new Change(entry.substring(2), Optional.empty(), '?', '?'));
            default -> Optional.empty();
        };
    }

    /** The path is the last of so many fields and may hold spaces. */
    private static Change change(String entry, int fields, Optional<String> before) {
        var parts = entry.split(" ", fields);
        return new Change(parts[fields - 1], before, parts[1].charAt(0), parts[1].charAt(1));
    }
}
