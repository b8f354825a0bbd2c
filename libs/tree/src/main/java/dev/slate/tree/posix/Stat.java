package dev.slate.tree.posix;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;
import java.util.Locale;

/** What {@code statx} says about one file. {@code mode} holds the twelve permission bits, {@code kind} the type. */
public record Stat(
        Kind kind,
        int mode,
        int uid,
        int gid,
        long size,
        Instant modified,
        long inode,
        long links,
        int deviceMajor,
        int deviceMinor) {

    /** The type of a file. */
    public enum Kind {
        FIFO(0x1000),
        CHARACTER_DEVICE(0x2000),
        DIRECTORY(0x4000),
        BLOCK_DEVICE(0x6000),
        FILE(0x8000),
        SYMLINK(0xA000),
        SOCKET(0xC000);

        private final int bits;

        Kind(int bits) {
            this.bits = bits;
        }

        /** As users read it. */
        public String shown() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }

        int bits() {
            return bits;
        }

        private static Kind of(int mode) {
            for (var kind : values()) {
                if (kind.bits == (mode & 0xF000)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("mode: " + mode + " (expected: a known file type)");
        }
    }

    static final int BYTES = 256;

    static Stat of(MemorySegment statx) {
        int mode = statx.get(ValueLayout.JAVA_SHORT, 28) & 0xFFFF;
        return new Stat(
                Kind.of(mode),
                mode & 0xFFF,
                statx.get(ValueLayout.JAVA_INT, 20),
                statx.get(ValueLayout.JAVA_INT, 24),
                statx.get(ValueLayout.JAVA_LONG, 40),
                Instant.ofEpochSecond(statx.get(ValueLayout.JAVA_LONG, 112), statx.get(ValueLayout.JAVA_INT, 120)),
                statx.get(ValueLayout.JAVA_LONG, 32),
                Integer.toUnsignedLong(statx.get(ValueLayout.JAVA_INT, 16)),
                statx.get(ValueLayout.JAVA_INT, 128),
                statx.get(ValueLayout.JAVA_INT, 132));
    }

    /** Whether this is how overlayfs marks a removed name: a character device 0/0. */
    public boolean isWhiteout() {
        return kind == Kind.CHARACTER_DEVICE && deviceMajor == 0 && deviceMinor == 0;
    }
}
