package dev.slate.tree;

import dev.slate.tree.posix.Posix;
import dev.slate.tree.posix.Stat;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Everything about a file but its content.
 *
 * @param mode the twelve permission bits
 * @param xattrs extended attributes that survive in a tree, by name, values in hexadecimal
 */
public record Attributes(int mode, int uid, int gid, Instant modified, SortedMap<String, String> xattrs) {
    private static final int MODE_BITS = 0xFFF;

    public Attributes {
        if (mode < 0 || mode > MODE_BITS) {
            throw new TreeException("mode: %o (expected: 0 to 7777)".formatted(mode));
        }
        for (var name : xattrs.keySet()) {
            if (!isKept(name)) {
                throw new TreeException("extended attribute: " + name + " (expected: user.*, capability or ACL)");
            }
        }
        xattrs = Collections.unmodifiableSortedMap(new TreeMap<>(xattrs));
    }

    /** Owned by root, without extended attributes. */
    public static Attributes of(int mode, Instant modified) {
        return new Attributes(mode, 0, 0, modified, new TreeMap<>());
    }

    /** Whether trees and layers keep the attribute: the user's own, file capabilities and access lists. */
    public static boolean isKept(String xattr) {
        return xattr.startsWith("user.")
                || xattr.equals("security.capability")
                || xattr.equals("system.posix_acl_access")
                || xattr.equals("system.posix_acl_default");
    }

    static Attributes read(Stat stat, Path path) throws IOException {
        var xattrs = new TreeMap<String, String>();
        for (var name : Posix.xattrNames(path)) {
            if (isKept(name)) {
                Posix.xattr(path, name)
                        .ifPresent(value -> xattrs.put(name, HexFormat.of().formatHex(value)));
            }
        }
        return new Attributes(stat.mode(), stat.uid(), stat.gid(), stat.modified(), xattrs);
    }

    /**
     * Gives the file these attributes in the order that keeps them: a change of owner clears the setuid bit and
     * capabilities, and everything but a time changes a time.
     */
    public void apply(Path path, boolean link) throws IOException {
        Posix.chown(path, uid, gid);
        if (!link) {
            Posix.chmod(path, mode);
        }
        for (Map.Entry<String, String> xattr : xattrs.entrySet()) {
            Posix.setXattr(path, xattr.getKey(), HexFormat.of().parseHex(xattr.getValue()));
        }
        Posix.setModified(path, modified);
    }

    /** Whether all but the time of modification is the same. */
    public boolean equalsButTime(Attributes other) {
        return withModified(Instant.EPOCH).equals(other.withModified(Instant.EPOCH));
    }

    public Attributes withModified(Instant time) {
        return new Attributes(mode, uid, gid, time, xattrs);
    }
}
