package dev.slate.sdk.internal.tar;

import dev.slate.sdk.SandboxPath;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a tar that anybody may have made: GNU long names and PAX, no sparse files. Confined to one thread. */
final class TarReader {

    /** More than any name or set of PAX records needs. */
    private static final long MAX_EXTENSION = 64 * 1024;

    private final InputStream in;
    private final byte[] buffer = new byte[64 * 1024];
    private long body;
    private int padding;

    TarReader(InputStream in) {
        this.in = in;
    }

    /** What extension headers said about the next member. */
    private static final class Extension {
        private byte @Nullable [] name;
        private byte @Nullable [] link;
        private @Nullable Long size;
        private @Nullable Long modified;
    }

    /** The next member; empty at the end mark, after which everything was read. */
    Optional<TarMember> next() throws IOException {
        var extension = new Extension();
        while (true) {
            copyTo(OutputStream.nullOutputStream());
            var header = exactly(TarFormat.BLOCK);
            if (isZero(header)) {
                in.transferTo(OutputStream.nullOutputStream());
                return Optional.empty();
            }
            if (number(header, TarFormat.CHECKSUM, 8) != TarFormat.checksum(header)) {
                throw new UnsafeTarException("wrong checksum of a header");
            }
            long size = number(header, TarFormat.SIZE, 12);
            switch ((char) header[TarFormat.TYPE]) {
                case 'L' -> extension.name = withoutNul(extension(size));
                case 'K' -> extension.link = withoutNul(extension(size));
                case 'x' -> readRecords(extension(size), extension);
                default -> {
                    return Optional.of(member(header, size, extension));
                }
            }
        }
    }

    /** Copies the body of the latest member. */
    void copyTo(OutputStream out) throws IOException {
        while (body > 0) {
            int count = in.read(buffer, 0, (int) Math.min(buffer.length, body));
            if (count < 0) {
                throw new EOFException("the tar ends inside a file");
            }
            out.write(buffer, 0, count);
            body -= count;
        }
        exactly(padding);
        padding = 0;
    }

    private TarMember member(byte[] header, long headerSize, Extension given) throws IOException {
        var name = given.name != null ? given.name : name(header);
        var link = given.link != null ? given.link : field(header, TarFormat.LINK, TarFormat.NAME_BYTES);
        long size = given.size != null ? given.size : headerSize;
        var type = switch ((char) header[TarFormat.TYPE]) {
            case 0, '0', '7' ->
                name.length > 0 && name[name.length - 1] == '/' ? TarMember.Type.DIRECTORY : TarMember.Type.FILE;
            case '1' -> TarMember.Type.HARD_LINK;
            case '2' -> TarMember.Type.SYMLINK;
            case '5' -> TarMember.Type.DIRECTORY;
            default ->
                throw new UnsafeTarException(SandboxPath.of(name) + " (expected: a file, a directory or a link)");
        };
        if (size < 0 || (type != TarMember.Type.FILE && size != 0)) {
            throw new UnsafeTarException(SandboxPath.of(name) + ": size " + size);
        }
        body = size;
        padding = TarFormat.padding(size);
        int mode = (int) (number(header, TarFormat.MODE, 8) & 07777);
        long modified = given.modified != null ? given.modified : number(header, TarFormat.MODIFIED, 12);
        return new TarMember(type, name, link, mode, size, modified);
    }

    private byte[] extension(long size) throws IOException {
        if (size < 0 || size > MAX_EXTENSION) {
            throw new UnsafeTarException("an extension header of " + size + " bytes");
        }
        var content = exactly((int) size);
        exactly(TarFormat.padding(size));
        return content;
    }

    private byte[] exactly(int count) throws IOException {
        var bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("the tar ends without its end mark");
        }
        return bytes;
    }

    /** Records "length key=value\n", where the length counts itself. */
    private static void readRecords(byte[] records, Extension into) throws UnsafeTarException {
        for (int at = 0; at < records.length; ) {
            int space = indexOf(records, ' ', at);
            long length = number(records, at, space, 10);
            int end = (int) Math.min(at + length, Integer.MAX_VALUE);
            int equals = indexOf(records, '=', space);
            if (length < 5 || end > records.length || equals >= end || records[end - 1] != '\n') {
                throw new UnsafeTarException("broken PAX record");
            }
            var value = Arrays.copyOfRange(records, equals + 1, end - 1);
            var key = new String(records, space + 1, equals - space - 1, StandardCharsets.UTF_8);
            switch (key) {
                case "path" -> into.name = value;
                case "linkpath" -> into.link = value;
                case "size" -> into.size = decimal(value);
                case "mtime" -> into.modified = decimal(withoutFraction(value));
                default -> {
                    if (key.startsWith("GNU.sparse.")) {
                        throw new UnsafeTarException("a sparse file");
                    }
                }
            }
            at = end;
        }
    }

    private static long number(byte[] bytes, int from, int to, int radix) throws UnsafeTarException {
        var text = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
        try {
            return text.isEmpty() ? 0 : Long.parseLong(text, radix);
        } catch (NumberFormatException _) {
            throw new UnsafeTarException("broken number");
        }
    }

    private static long decimal(byte[] digits) throws UnsafeTarException {
        return number(digits, 0, digits.length, 10);
    }

    private static byte[] withoutFraction(byte[] number) {
        int end = 0;
        while (end < number.length && number[end] != '.') {
            end++;
        }
        return Arrays.copyOf(number, end);
    }

    private static int indexOf(byte[] bytes, char wanted, int from) throws UnsafeTarException {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        throw new UnsafeTarException("broken PAX record");
    }

    private static byte[] name(byte[] header) {
        var name = field(header, 0, TarFormat.NAME_BYTES);
        var magic = new String(header, TarFormat.MAGIC, 8, StandardCharsets.ISO_8859_1);
        var prefix = field(header, TarFormat.PREFIX, TarFormat.PREFIX_BYTES);
        // GNU headers keep other things where ustar has the prefix.
        if (!magic.equals("ustar\00000") || prefix.length == 0) {
            return name;
        }
        var joined = Arrays.copyOf(prefix, prefix.length + 1 + name.length);
        joined[prefix.length] = '/';
        System.arraycopy(name, 0, joined, prefix.length + 1, name.length);
        return joined;
    }

    private static byte[] field(byte[] header, int at, int length) {
        return withoutNul(Arrays.copyOfRange(header, at, at + length));
    }

    private static byte[] withoutNul(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return Arrays.copyOf(bytes, end);
    }

    /** Octal digits, or a big-endian number when the first bit is set. */
    private static long number(byte[] header, int at, int length) throws UnsafeTarException {
        if ((header[at] & 0x80) == 0) {
            var digits = new String(field(header, at, length), StandardCharsets.ISO_8859_1).strip();
            var octal = digits.getBytes(StandardCharsets.ISO_8859_1);
            return number(octal, 0, octal.length, 8);
        }
        var bytes = Arrays.copyOfRange(header, at, at + length);
        bytes[0] = (byte) ((bytes[0] & 0x40) != 0 ? bytes[0] : bytes[0] & 0x7F);
        try {
            return new BigInteger(bytes).longValueExact();
        } catch (ArithmeticException _) {
            throw new UnsafeTarException("number out of range");
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
