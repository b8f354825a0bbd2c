package dev.slate.sdk.internal.tar;

import java.nio.charset.StandardCharsets;

/** Where the fields of a header are. */
final class TarFormat {

    static final int BLOCK = 512;
    static final int NAME_BYTES = 100;
    static final int MODE = 100;
    static final int UID = 108;
    static final int GID = 116;
    static final int SIZE = 124;
    static final int MODIFIED = 136;
    static final int CHECKSUM = 148;
    static final int TYPE = 156;
    static final int LINK = 157;
    static final int MAGIC = 257;
    static final int PREFIX = 345;
    static final int PREFIX_BYTES = 155;

    private static final byte[] LONG_LINK = "././@LongLink".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] GNU = "ustar  ".getBytes(StandardCharsets.US_ASCII);

    private TarFormat() {}

    static int padding(long size) {
        return (int) ((BLOCK - size % BLOCK) % BLOCK);
    }

    /** Sum of a header's bytes, its own field counted as spaces. */
    static long checksum(byte[] header) {
        long sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= CHECKSUM && i < CHECKSUM + 8 ? ' ' : Byte.toUnsignedInt(header[i]);
        }
        return sum;
    }

    /** One header, with GNU headers for a long name and a long link in front. */
    static byte[] header(TarMember member) {
        var out = new java.io.ByteArrayOutputStream(BLOCK);
        longText(out, 'L', member.name());
        longText(out, 'K', member.link());
        out.writeBytes(plain(
                member.type().flag(), member.name(), member.link(), member.mode(), member.size(), member.modified()));
        return out.toByteArray();
    }

    private static void longText(java.io.ByteArrayOutputStream out, char type, byte[] text) {
        if (text.length > NAME_BYTES) {
            long size = text.length + 1L;
            out.writeBytes(plain(type, LONG_LINK, new byte[0], 0644, size, 0));
            out.writeBytes(text);
            out.writeBytes(new byte[1 + padding(size)]);
        }
    }

    private static byte[] plain(char type, byte[] name, byte[] link, int mode, long size, long modified) {
        var header = new byte[BLOCK];
        System.arraycopy(name, 0, header, 0, Math.min(name.length, NAME_BYTES));
        System.arraycopy(link, 0, header, LINK, Math.min(link.length, NAME_BYTES));
        System.arraycopy(GNU, 0, header, MAGIC, GNU.length);
        header[TYPE] = (byte) type;
        number(header, MODE, 8, mode);
        number(header, UID, 8, 0);
        number(header, GID, 8, 0);
        number(header, SIZE, 12, size);
        number(header, MODIFIED, 12, modified);
        number(header, CHECKSUM, 7, checksum(header));
        header[CHECKSUM + 7] = ' ';
        return header;
    }

    /** Octal digits and a NUL if they fit, otherwise a big-endian number with the first bit set. */
    private static void number(byte[] header, int at, int length, long value) {
        long rest = value;
        if (value >= 0 && value < 1L << (3 * (length - 1))) {
            for (int i = at + length - 2; i >= at; i--) {
                header[i] = (byte) ('0' + (rest & 7));
                rest >>= 3;
            }
            return;
        }
        for (int i = at + length - 1; i >= at; i--) {
            header[i] = (byte) rest;
            rest >>= 8;
        }
        header[at] |= (byte) 0x80;
    }
}
