package dev.slate.tree;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A relative path inside a tree: parts joined by {@code /}, none of them empty, {@code .} or {@code ..}.
 *
 * <p>Ordered by its UTF-8 bytes, so a directory comes before what it holds. {@link #ROOT} is the empty path.
 */
public record TreePath(String value) implements Comparable<TreePath> {
    public static final TreePath ROOT = new TreePath("");

    private static final int MAX_NAME_BYTES = 255;

    public TreePath {
        if (!value.isEmpty()) {
            for (var name : value.split("/", -1)) {
                checkName(name, value);
            }
        }
    }

    private static void checkName(String name, String path) {
        if (name.isEmpty() || name.equals(".") || name.equals("..")) {
            throw new TreeException("path: " + path + " (expected: relative, without empty, . or .. parts)");
        }
        if (name.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new TreeException("path: " + path + " (expected: valid Unicode without NUL)");
        }
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_NAME_BYTES) {
            throw new TreeException("path: a name of " + bytes + " bytes (expected: at most " + MAX_NAME_BYTES + ")");
        }
    }

    public boolean isRoot() {
        return value.isEmpty();
    }

    /** The last part; empty for the root. */
    public String name() {
        return value.substring(value.lastIndexOf('/') + 1);
    }

    /** The directory that holds this path; empty for the root. */
    public Optional<TreePath> parent() {
        if (isRoot()) {
            return Optional.empty();
        }
        int slash = value.lastIndexOf('/');
        return Optional.of(slash < 0 ? ROOT : new TreePath(value.substring(0, slash)));
    }

    public TreePath child(String name) {
        return new TreePath(isRoot() ? name : value + "/" + name);
    }

    /** Whether this path lies below the other one, at any depth. */
    public boolean isBelow(TreePath other) {
        return other.isRoot() ? !isRoot() : value.startsWith(other.value + "/");
    }

    /** The same path with the leading directory replaced. */
    public TreePath moved(TreePath from, TreePath to) {
        var rest = from.isRoot() ? value : value.substring(from.value.length() + 1);
        return to.isRoot() ? new TreePath(rest) : new TreePath(to.value + "/" + rest);
    }

    @Override
    public int compareTo(TreePath other) {
        return compareBytes(value, other.value);
    }

    /** Compares as the UTF-8 bytes would: as characters, except that surrogates stand above all others. */
    static int compareBytes(String one, String two) {
        int shorter = Math.min(one.length(), two.length());
        for (int i = 0; i < shorter; i++) {
            char a = one.charAt(i);
            char b = two.charAt(i);
            if (a != b) {
                boolean mixed = Character.isSurrogate(a) != Character.isSurrogate(b);
                if (mixed) {
                    return Character.isSurrogate(a) ? 1 : -1;
                }
                return Character.compare(a, b);
            }
        }
        return Integer.compare(one.length(), two.length());
    }

    @Override
    public String toString() {
        return isRoot() ? "." : value;
    }
}
