package dev.slate.tree.layer;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** How the tar of a layer is packed. */
public enum Compression {
    NONE("application/vnd.oci.image.layer.v1.tar"),
    GZIP("application/vnd.oci.image.layer.v1.tar+gzip"),
    ZSTD("application/vnd.oci.image.layer.v1.tar+zstd");

    /** Part of what a layer digest depends on: never change it. */
    private static final int ZSTD_LEVEL = 3;

    private static final byte[] GZIP_MAGIC = {0x1f, (byte) 0x8b};
    private static final byte[] ZSTD_MAGIC = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd};
    private static final int BUFFER = 65_536;

    private final String mediaType;

    Compression(String mediaType) {
        this.mediaType = mediaType;
    }

    public String mediaType() {
        return mediaType;
    }

    OutputStream compress(OutputStream out) throws IOException {
        return switch (this) {
            case NONE -> out;
            case GZIP -> new GZIPOutputStream(out, BUFFER);
            case ZSTD -> new ZstdOutputStream(out, ZSTD_LEVEL);
        };
    }

    /** Unpacks by the first bytes, whatever the media type said. */
    static Unpacked decompress(InputStream blob) throws IOException {
        var in = new BufferedInputStream(blob, BUFFER);
        in.mark(4);
        var start = in.readNBytes(4);
        in.reset();
        if (Arrays.equals(start, ZSTD_MAGIC)) {
            return new Unpacked(ZSTD, new ZstdInputStream(in));
        }
        if (startsWith(start, GZIP_MAGIC)) {
            return new Unpacked(GZIP, new GZIPInputStream(in, BUFFER));
        }
        return new Unpacked(NONE, in);
    }

    record Unpacked(Compression compression, InputStream stream) {}

    private static boolean startsWith(byte[] bytes, byte[] prefix) {
        return bytes.length >= prefix.length && Arrays.equals(Arrays.copyOf(bytes, prefix.length), prefix);
    }
}
