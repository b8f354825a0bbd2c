package dev.slate.controlplane.sandbox;

import com.google.protobuf.ByteString;
import dev.slate.common.error.PlatformException;
import java.util.regex.Pattern;

/** Where the root file system of a sandbox comes from. */
public sealed interface ImageSource {
    /** A recipe in its wire form, which only the image builder understands. */
    record Recipe(ByteString encoded) implements ImageSource {}

    /** An image that was built before. */
    record Built(String digest) implements ImageSource {
        private static final Pattern SHAPE = Pattern.compile("sha256:[0-9a-f]{64}");

        public Built {
            if (!SHAPE.matcher(digest).matches()) {
                throw PlatformException.invalid("image digest", digest, "sha256: and 64 hexadecimal digits");
            }
        }
    }
}
