package dev.slate.tree;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The canonical byte form of a tree.
 *
 * <p>A magic word, a format version, the number of entries, then the entries in the order of their paths. All numbers
 * are big-endian, strings are a length and UTF-8 bytes. There is exactly one form for each tree: what reads back to a
 * tree with another form is refused.
 */
final class TreeFormat {
    private static final int MAGIC = 0x534C_5452;
    private static final int VERSION = 1;
    private static final int MAX_STRING_BYTES = 1 << 20;
    private static final int FILE = 'f';
    private static final int DIRECTORY = 'd';
    private static final int SYMLINK = 'l';

    private TreeFormat() {}

    static byte[] write(Tree tree) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeInt(MAGIC);
            out.writeInt(VERSION);
            out.writeInt(tree.entries().size());
            for (var line : tree.entries().entrySet()) {
                writeString(out, line.getKey().value());
                writeEntry(out, line.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Names content together with all attributes. */
    static Digest digest(Entry entry) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            writeEntry(out, entry);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Digest.of(bytes.toByteArray());
    }

    private static void writeEntry(DataOutputStream out, Entry entry) throws IOException {
        switch (entry) {
            case Entry.File file -> {
                out.writeByte(FILE);
                writeAttributes(out, file.attributes());
                out.writeLong(file.size());
                out.write(HexFormat.of().parseHex(file.content().hex()));
            }
            case Entry.Directory directory -> {
                out.writeByte(DIRECTORY);
                writeAttributes(out, directory.attributes());
            }
            case Entry.Symlink symlink -> {
                out.writeByte(SYMLINK);
                writeAttributes(out, symlink.attributes());
                writeString(out, symlink.target());
            }
        }
    }

    private static void writeAttributes(DataOutputStream out, Attributes attributes) throws IOException {
        out.writeShort(attributes.mode());
        out.writeInt(attributes.uid());
        out.writeInt(attributes.gid());
        var modified = attributes.modified();
        out.writeLong(modified.getEpochSecond());
        out.writeInt(modified.getNano());
        out.writeShort(attributes.xattrs().size());
        for (var xattr : attributes.xattrs().entrySet()) {
            writeString(out, xattr.getKey());
            writeString(out, xattr.getValue());
        }
    }

    private static void writeString(DataOutputStream out, String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    static Tree read(byte[] bytes) {
        try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (in.readInt() != MAGIC) {
                throw new TreeException("tree: not a tree");
            }
            int version = in.readInt();
            if (version != VERSION) {
                throw new TreeException("tree: format " + version + " (expected: " + VERSION + ")");
            }
            int count = in.readInt();
            var entries = new TreeMap<TreePath, Entry>();
            for (int i = 0; i < count; i++) {
                var path = new TreePath(readString(in));
                if (!entries.isEmpty() && path.compareTo(entries.lastKey()) <= 0) {
                    throw new TreeException("tree: " + path + " is out of order");
                }
                entries.put(path, readEntry(in));
            }
            if (in.read() != -1) {
                throw new TreeException("tree: bytes after the last entry");
            }
            return new Tree(entries);
        } catch (IOException | DateTimeException | IllegalArgumentException e) {
            throw new TreeException("tree: broken bytes", e);
        }
    }

    private static Entry readEntry(DataInputStream in) throws IOException {
        int type = in.readUnsignedByte();
        var attributes = readAttributes(in);
        return switch (type) {
            case FILE -> new Entry.File(attributes, in.readLong(), readDigest(in));
            case DIRECTORY -> new Entry.Directory(attributes);
            case SYMLINK -> new Entry.Symlink(attributes, readString(in));
            default -> throw new TreeException("tree: entry type " + type + " (expected: f, d or l)");
        };
    }

    private static Attributes readAttributes(DataInputStream in) throws IOException {
        int mode = in.readUnsignedShort();
        int uid = in.readInt();
        int gid = in.readInt();
        long seconds = in.readLong();
        int nanos = in.readInt();
        if (nanos < 0 || nanos > 999_999_999) {
            throw new TreeException("tree: " + nanos + " ns (expected: less than a second)");
        }
        int count = in.readUnsignedShort();
        SortedMap<String, String> xattrs = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            var name = readString(in);
            if (!xattrs.isEmpty() && name.compareTo(xattrs.lastKey()) <= 0) {
                throw new TreeException("tree: extended attribute " + name + " is out of order");
            }
            var value = readString(in);
            if (!HexFormat.of().formatHex(HexFormat.of().parseHex(value)).equals(value)) {
                throw new TreeException("tree: extended attribute " + name + " (expected: lower-case hexadecimal)");
            }
            xattrs.put(name, value);
        }
        return new Attributes(mode, uid, gid, Instant.ofEpochSecond(seconds, nanos), xattrs);
    }

    private static Digest readDigest(DataInputStream in) throws IOException {
        var bytes = new byte[32];
        in.readFully(bytes);
        return new Digest(HexFormat.of().formatHex(bytes));
    }

    private static String readString(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_STRING_BYTES) {
            throw new TreeException(
                    "tree: a string of " + length + " bytes (expected: at most " + MAX_STRING_BYTES + ")");
        }
        var bytes = new byte[length];
        in.readFully(bytes);
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
    }
}
