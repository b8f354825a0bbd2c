package dev.slate.tree.layer;

import dev.slate.tree.TreeException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads the tar dialects that images use: ustar, PAX and GNU long names, each value as bytes.
 *
 * <p>Anything else (sparse files, unknown types, broken sums) is refused. Confined to one thread.
 */
final class TarReader {
    private static final int MAX_EXTENSION_BYTES = 1 << 20;

    private final InputStream in;
    private final byte[] skipped = new byte[8192];
    private long bodyLeft;
    private long paddingLeft;

    TarReader(InputStream in) {
        this.in = in;
    }

    /** The next entry, empty at the end. What was not read of the body before is skipped. */
    Optional<TarEntry> next() throws IOException {
        var pax = new HashMap<String, byte[]>();
        while (true) {
            skip(bodyLeft + paddingLeft);
            bodyLeft = 0;
            paddingLeft = 0;
            var header = in.readNBytes(TarFormat.BLOCK);
            if (header.length == 0 || isZero(header)) {
                if (!pax.isEmpty()) {
                    throw new TreeException("tar: extension header without a file");
                }
                return Optional.empty();
            }
            checkHeader(header);
            long size = number(header, TarFormat.SIZE, 12);
            switch ((char) header[TarFormat.TYPE]) {
                case 'x' -> readPax(extension(size), pax);
                case 'g' -> refuseGlobalPaths(extension(size));
                case 'L' -> pax.put("path", withoutNul(extension(size)));
                case 'K' -> pax.put("linkpath", withoutNul(extension(size)));
                default -> {
                    var entry = entry(header, pax);
                    bodyLeft = entry.size();
                    paddingLeft = TarFormat.padding(bodyLeft);
                    return Optional.of(entry);
                }
            }
        }
    }

    /** The body of the entry before; ends with it. */
    InputStream body() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                var one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                if (bodyLeft == 0) {
                    return -1;
                }
                int n = in.read(buffer, offset, (int) Math.min(length, bodyLeft));
                if (n < 0) {
                    throw new EOFException("tar: ends inside a file");
                }
                bodyLeft -= n;
                return n;
            }
        };
    }

    /** Reads, because a skip would pass by the digest that the stream below computes. */
    private void skip(long bytes) throws IOException {
        for (long left = bytes; left > 0; ) {
            int n = in.read(skipped, 0, (int) Math.min(skipped.length, left));
            if (n < 0) {
                throw new EOFException("tar: ends inside a file");
            }
            left -= n;
        }
    }

    private byte[] extension(long size) throws IOException {
        if (size < 0 || size > MAX_EXTENSION_BYTES) {
            throw new TreeException("tar: extension header of " + size + " bytes");
        }
        var bytes = in.readNBytes((int) size);
        if (bytes.length != size) {
            throw new EOFException("tar: ends inside a header");
        }
        paddingLeft = TarFormat.padding(size);
        return bytes;
    }

    private static void checkHeader(byte[] header) throws EOFException {
        if (header.length != TarFormat.BLOCK) {
            throw new EOFException("tar: ends inside a header");
        }
        if (number(header, TarFormat.CHECKSUM, 8) != TarFormat.checksum(header)) {
            throw new TreeException("tar: wrong header sum");
        }
    }

    private static TarEntry entry(byte[] header, Map<String, byte[]> pax) {
        var name = value(pax, "path").orElseGet(() -> ustarName(header));
        var type = type(header, name);
        long size = decimal(pax, "size").orElseGet(() -> number(header, TarFormat.SIZE, 12));
        if (size < 0) {
            throw new TreeException("tar: size " + size + " (expected: 0 or more)");
        }
        return new TarEntry(
                type,
                name,
                value(pax, "linkpath").orElseGet(() -> field(header, TarFormat.LINK, TarFormat.NAME_BYTES)),
                (int) (number(header, TarFormat.MODE, 8) & 0xFFF),
                decimal(pax, "uid").orElseGet(() -> number(header, TarFormat.UID, 8)),
                decimal(pax, "gid").orElseGet(() -> number(header, TarFormat.GID, 8)),
                type == TarEntry.Type.FILE ? size : 0,
                modified(header, pax),
                device(header, type, TarFormat.MAJOR),
                device(header, type, TarFormat.MINOR),
                xattrs(pax));
    }

    private static TarEntry.Type type(byte[] header, String name) {
        char flag = (char) header[TarFormat.TYPE];
        if (flag == 0 || flag == '7') {
            return name.endsWith("/") ? TarEntry.Type.DIRECTORY : TarEntry.Type.FILE;
        }
        for (var type : TarEntry.Type.values()) {
            if (type.flag() == flag) {
                return type;
            }
        }
        throw new TreeException("tar: " + name + " has type " + flag + " (expected: a kind that layers may hold)");
    }

    private static int device(byte[] header, TarEntry.Type type, int at) {
        boolean device = type == TarEntry.Type.CHARACTER_DEVICE || type == TarEntry.Type.BLOCK_DEVICE;
        return device ? Math.toIntExact(number(header, at, 8)) : 0;
    }

    private static Instant modified(byte[] header, Map<String, byte[]> pax) {
        var text = value(pax, "mtime");
        if (text.isEmpty()) {
            return Instant.ofEpochSecond(number(header, TarFormat.MODIFIED, 12));
        }
        try {
            var time = new BigDecimal(text.get());
            var seconds = time.setScale(0, RoundingMode.FLOOR);
            return Instant.ofEpochSecond(
                    seconds.longValueExact(),
                    time.subtract(seconds).movePointRight(9).intValue());
        } catch (ArithmeticException | NumberFormatException e) {
            throw new TreeException("tar: mtime " + text.get() + " (expected: seconds)", e);
        }
    }

    private static SortedMap<String, String> xattrs(Map<String, byte[]> pax) {
        var xattrs = new TreeMap<String, String>();
        pax.forEach((key, value) -> {
            if (key.startsWith(TarFormat.XATTR)) {
                xattrs.put(
                        key.substring(TarFormat.XATTR.length()), HexFormat.of().formatHex(value));
            }
        });
        return xattrs;
    }

    private static void readPax(byte[] records, Map<String, byte[]> into) {
        int at = 0;
        while (at < records.length) {
            int space = indexOf(records, ' ', at);
            int length = parse(text(Arrays.copyOfRange(records, at, space)));
            int end = at + length;
            int equals = indexOf(records, '=', space);
            if (length < 5 || end > records.length || end < at || equals >= end || records[end - 1] != '\n') {
                throw new TreeException("tar: broken PAX record");
            }
            var key = text(Arrays.copyOfRange(records, space + 1, equals));
            if (key.startsWith("GNU.sparse.")) {
                throw new TreeException("tar: sparse file (expected: whole files)");
            }
            into.put(key, Arrays.copyOfRange(records, equals + 1, end - 1));
            at = end;
        }
    }

    private static void refuseGlobalPaths(byte[] records) {
        var global = new HashMap<String, byte[]>();
        readPax(records, global);
        for (var key : global.keySet()) {
            if (!key.equals("comment")) {
                throw new TreeException("tar: global header sets " + key + " (expected: a comment only)");
            }
        }
    }

    private static int indexOf(byte[] bytes, char wanted, int from) {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        throw new TreeException("tar: broken PAX record");
    }

    private static int parse(String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            throw new TreeException("tar: broken PAX record", e);
        }
    }

    private static Optional<Long> decimal(Map<String, byte[]> pax, String key) {
        try {
            return value(pax, key).map(Long::valueOf);
        } catch (NumberFormatException e) {
            throw new TreeException("tar: PAX " + key + " is not a number", e);
        }
    }

    private static Optional<String> value(Map<String, byte[]> pax, String key) {
        return Optional.ofNullable(pax.get(key)).map(TarReader::text);
    }

    private static String ustarName(byte[] header) {
        var name = field(header, 0, TarFormat.NAME_BYTES);
        boolean ustar = header[TarFormat.MAGIC + 5] == 0
                && field(header, TarFormat.MAGIC, 5).equals("ustar");
        var prefix = ustar ? field(header, TarFormat.PREFIX, TarFormat.PREFIX_BYTES) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private static String field(byte[] header, int at, int length) {
        return text(withoutNul(Arrays.copyOfRange(header, at, at + length)));
    }

    private static byte[] withoutNul(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return Arrays.copyOf(bytes, end);
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new TreeException(
                    "tar: name " + new String(bytes, StandardCharsets.UTF_8) + " (expected: valid UTF-8)", e);
        }
    }

    /** Octal digits, or a big-endian number when the first bit is set. */
    private static long number(byte[] header, int at, int length) {
        if ((header[at] & 0x80) != 0) {
            return binary(Arrays.copyOfRange(header, at, at + length));
        }
        long value = 0;
        boolean digits = false;
        for (int i = at; i < at + length; i++) {
            byte b = header[i];
            if (b >= '0' && b <= '7') {
                value = value << 3 | (b - '0');
                digits = true;
            } else if (b == 0 || (b == ' ' && digits)) {
                break;
            } else if (b != ' ') {
                throw new TreeException("tar: broken number in a header");
            }
        }
        return value;
    }

    private static long binary(byte[] bytes) {
        bytes[0] &= 0x7F;
        if ((bytes[0] & 0x40) != 0) {
            bytes[0] |= (byte) 0x80;
        }
        try {
            return new BigInteger(bytes).longValueExact();
        } catch (ArithmeticException e) {
            throw new TreeException("tar: number out of range", e);
        }
    }

    private static boolean isZero(byte[] block) {
        for (byte b : block) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }
}
