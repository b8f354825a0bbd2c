package dev.slate.tree.layer;

import java.time.Instant;
import java.util.SortedMap;

/**
 * One header of a tar stream.
 *
 * @param link target of a symbolic or hard link, otherwise empty
 * @param xattrs values in hexadecimal by name
 */
record TarEntry(
        Type type,
        String name,
        String link,
        int mode,
        long uid,
        long gid,
        long size,
        Instant modified,
        int deviceMajor,
        int deviceMinor,
        SortedMap<String, String> xattrs) {

    enum Type {
        FILE('0'),
        HARD_LINK('1'),
        SYMLINK('2'),
        CHARACTER_DEVICE('3'),
        BLOCK_DEVICE('4'),
        DIRECTORY('5'),
        FIFO('6');

        private final char flag;

        Type(char flag) {
            this.flag = flag;
        }

        char flag() {
            return flag;
        }
    }
}
