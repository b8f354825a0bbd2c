package dev.slate.tree.layer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Writes tar in exactly one way: ustar headers, a PAX header only for what does not fit one.
 *
 * <p>Own code, because the usual libraries write extended attributes as text, which breaks binary values.
 */
final class TarWriter {
    private static final long MAX_SHORT_NUMBER = 0_7777777L;
    private static final long MAX_LONG_NUMBER = 0_77777777777L;

    private final OutputStream out;

    TarWriter(OutputStream out) {
        this.out = out;
    }

    void write(TarEntry entry) throws IOException {
        var pax = pax(entry);
        if (pax.length > 0) {
            out.write(header(entry, "pax_header", 'x', pax.length));
            out.write(pax);
            pad(pax.length);
        }
        out.write(header(entry, entry.name(), entry.type().flag(), entry.size()));
    }

    /** Writes the body of the entry before; it must have exactly the announced length. */
    void body(InputStream body, long size, String name) throws IOException {
        long written = 0;
        var buffer = new byte[65_536];
        for (int n = body.read(buffer); n >= 0 && written <= size; n = body.read(buffer)) {
            written += n;
            if (written <= size) {
                out.write(buffer, 0, n);
            }
        }
        if (written != size) {
            throw new IOException(name + ": changed while it was written");
        }
        pad(size);
    }

    void finish() throws IOException {
        out.write(new byte[2 * TarFormat.BLOCK]);
    }

    private void pad(long size) throws IOException {
        out.write(new byte[(int) TarFormat.padding(size)]);
    }

    private static byte[] header(TarEntry entry, String name, char type, long size) {
        boolean extension = type == 'x';
        var header = new byte[TarFormat.BLOCK];
        text(header, 0, name);
        octal(header, TarFormat.MODE, 7, extension ? 0644 : entry.mode());
        octal(header, TarFormat.UID, 7, extension ? 0 : entry.uid());
        octal(header, TarFormat.GID, 7, extension ? 0 : entry.gid());
        octal(header, TarFormat.SIZE, 11, size);
        octal(header, TarFormat.MODIFIED, 11, extension ? 0 : entry.modified().getEpochSecond());
        header[TarFormat.TYPE] = (byte) type;
        if (!extension) {
            text(header, TarFormat.LINK, entry.link());
        }
        var magic = "ustar\00000".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(magic, 0, header, TarFormat.MAGIC, magic.length);
        octal(header, TarFormat.MAJOR, 7, extension ? 0 : entry.deviceMajor());
        octal(header, TarFormat.MINOR, 7, extension ? 0 : entry.deviceMinor());
        octal(header, TarFormat.CHECKSUM, 6, TarFormat.checksum(header));
        header[TarFormat.CHECKSUM + 7] = ' ';
        return header;
    }

    private static byte[] pax(TarEntry entry) {
        var records = new ByteArrayOutputStream();
        if (!fits(entry.name())) {
            record(records, "path", entry.name().getBytes(StandardCharsets.UTF_8));
        }
        if (!fits(entry.link())) {
            record(records, "linkpath", entry.link().getBytes(StandardCharsets.UTF_8));
        }
        number(records, "uid", entry.uid(), MAX_SHORT_NUMBER);
        number(records, "gid", entry.gid(), MAX_SHORT_NUMBER);
        number(records, "size", entry.size(), MAX_LONG_NUMBER);
        number(records, "mtime", entry.modified().getEpochSecond(), MAX_LONG_NUMBER);
        entry.xattrs()
                .forEach((name, value) ->
                        record(records, TarFormat.XATTR + name, HexFormat.of().parseHex(value)));
        return records.toByteArray();
    }

    private static boolean fits(String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= TarFormat.NAME_BYTES && bytes.length == text.length();
    }

    private static void number(ByteArrayOutputStream records, String key, long value, long max) {
        if (value < 0 || value > max) {
            record(records, key, Long.toString(value).getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** "length key=value\n", where the length counts itself. */
    private static void record(ByteArrayOutputStream records, String key, byte[] value) {
        var name = key.getBytes(StandardCharsets.UTF_8);
        int rest = name.length + value.length + 3;
        int length = rest + Integer.toString(rest).length();
        if (Integer.toString(length).length() > Integer.toString(rest).length()) {
            length++;
        }
        records.writeBytes((length + " ").getBytes(StandardCharsets.US_ASCII));
        records.writeBytes(name);
        records.write('=');
        records.writeBytes(value);
        records.write('\n');
    }

    private static void text(byte[] header, int at, String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, Math.min(bytes.length, TarFormat.NAME_BYTES));
    }

    /** Digits and a NUL; a number that does not fit is 0 here and complete in the PAX header. */
    private static void octal(byte[] header, int at, int digits, long value) {
        boolean fits = value >= 0 && value < 1L << (3 * digits);
        long rest = fits ? value : 0;
        for (int i = digits - 1; i >= 0; i--) {
            header[at + i] = (byte) ('0' + (rest & 7));
            rest >>= 3;
        }
    }
}
