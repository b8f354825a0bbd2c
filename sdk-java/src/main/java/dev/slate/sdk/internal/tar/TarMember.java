package dev.slate.sdk.internal.tar;

/**
 * What a tar says about one member; names and links are bytes.
 *
 * @param mode permission bits
 * @param size bytes of a file, otherwise 0
 * @param modified seconds since 1970
 */
// Never compared, and the arrays are nobody else's.
@SuppressWarnings("ArrayRecordComponent")
record TarMember(Type type, byte[] name, byte[] link, int mode, long size, long modified) {

    /** Kinds that a directory of a sandbox may hold. */
    enum Type {
        FILE('0'),
        HARD_LINK('1'),
        SYMLINK('2'),
        DIRECTORY('5');

        private final char flag;

        Type(char flag) {
            this.flag = flag;
        }

        char flag() {
            return flag;
        }
    }
}
