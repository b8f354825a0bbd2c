package dev.slate.sdk.internal.tar;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Local paths as bytes. Text cannot hold every name, and how Java makes text of names depends on the locale; the URI of
 * a path has its bytes.
 */
final class LocalNames {

    private LocalNames() {}

    /** The bytes of a relative path or of a name. */
    static byte[] bytes(Path relative) {
        var text = relative.toString();
        if (isPlain(text)) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }
        var raw = Path.of("/").resolve(relative).toUri().getRawPath();
        var bytes = new ByteArrayOutputStream(raw.length());
        for (int i = 1; i < raw.length(); i++) {
            if (raw.charAt(i) == '%') {
                bytes.write(Integer.parseInt(raw, i + 1, i + 3, 16));
                i += 2;
            } else {
                bytes.write(raw.charAt(i));
            }
        }
        return bytes.toByteArray();
    }

    /** The relative path with these bytes. */
    static Path path(byte[] relative) {
        var text = new String(relative, StandardCharsets.ISO_8859_1);
        if (isPlain(text)) {
            return Path.of(text);
        }
        var raw = new StringBuilder("file:///");
        for (byte b : relative) {
            if (b == '/') {
                raw.append('/');
            } else {
                raw.append(String.format("%%%02X", b));
            }
        }
        var absolute = Path.of(URI.create(raw.toString()));
        return absolute.subpath(0, absolute.getNameCount());
    }

    private static boolean isPlain(String text) {
        return text.chars().allMatch(character -> character < 0x80);
    }
}
