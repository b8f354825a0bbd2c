package dev.slate.image.recipe;

import dev.slate.common.error.PlatformException;
import java.util.regex.Pattern;

/** One file, link or folder that a step puts into the image, owned by root. */
public record AddedFile(String path, int mode, Content content) {
    private static final int MODE_BITS = 0xFFF;

    /** What stands at the path. */
    public sealed interface Content {
        /** The bytes of an uploaded file. */
        record Body(String sha256) implements Content {
            private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");

            public Body {
                checkSha256(sha256);
            }

            /** Refuses anything but a SHA-256 in lower-case hexadecimal. */
            public static String checkSha256(String sha256) {
                if (!HEX.matcher(sha256).matches()) {
                    throw PlatformException.invalid("sha256", sha256, "64 lower-case hexadecimal digits");
                }
                return sha256;
            }
        }

        /** A symbolic link; the target is kept as it is. */
        record Link(String target) implements Content {
            public Link {
                if (target.isEmpty()) {
                    throw PlatformException.invalid("symlink target", "''", "a path");
                }
                Texts.check("symlink target", target, 4_095);
            }
        }

        /** A folder, empty or with what other entries put into it. */
        record Directory() implements Content {}
    }

    public AddedFile {
        Texts.checkAbsolute("added file", path);
        if (path.equals("/")) {
            throw PlatformException.invalid("added file", path, "a path below /");
        }
        for (String part : path.split("/", -1)) {
            if (part.startsWith(".wh.")) {
                throw PlatformException.invalid(
                        "added file", path, "no name that starts with .wh., the layer format's mark");
            }
        }
        if (mode < 0 || mode > MODE_BITS) {
            throw PlatformException.invalid("mode of " + path, Integer.toOctalString(mode), "0 to 7777");
        }
        if (mode == 0) {
            mode = content instanceof Content.Directory ? 0755 : 0644;
        }
    }

    /** The folder of a path, empty for those in the root. */
    static String parent(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }
}
