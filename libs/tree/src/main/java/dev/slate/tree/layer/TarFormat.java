package dev.slate.tree.layer;

/** Places and names that both directions of the tar format share. */
final class TarFormat {
    static final int BLOCK = 512;
    static final int NAME_BYTES = 100;
    static final String XATTR = "SCHILY.xattr.";

    static final int MODE = 100;
    static final int UID = 108;
    static final int GID = 116;
    static final int SIZE = 124;
    static final int MODIFIED = 136;
    static final int CHECKSUM = 148;
    static final int TYPE = 156;
    static final int LINK = 157;
    static final int MAGIC = 257;
    static final int MAJOR = 329;
    static final int MINOR = 337;
    static final int PREFIX = 345;
    static final int PREFIX_BYTES = 155;

    private TarFormat() {}

    /** The sum of all header bytes, with the sum's own field as spaces. */
    static int checksum(byte[] header) {
        int sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= CHECKSUM && i < CHECKSUM + 8 ? ' ' : header[i] & 0xFF;
        }
        return sum;
    }

    static long padding(long size) {
        return (BLOCK - size % BLOCK) % BLOCK;
    }
}
