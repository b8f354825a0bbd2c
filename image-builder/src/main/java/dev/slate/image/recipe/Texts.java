package dev.slate.image.recipe;

import dev.slate.common.error.PlatformException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Checks that values of a recipe share. */
final class Texts {
    private static final int MAX_PATH_BYTES = 4_096;
    private static final int MAX_NAME_BYTES = 255;

    private Texts() {}

    /** A text that can be an argument of a program: valid Unicode without NUL, of bounded length. */
    static String check(String name, String value, int maxLength) {
        if (value.length() > maxLength) {
            throw PlatformException.invalid(name, value.length() + " characters", "at most " + maxLength);
        }
        if (value.indexOf('\0') >= 0) {
            throw PlatformException.invalid(name, value.replace('\0', '?'), "no NUL character");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw PlatformException.invalid(name, "a lone surrogate", "valid Unicode");
        }
        return value;
    }

    /** An absolute path without empty, {@code .} or {@code ..} parts. */
    static String checkAbsolute(String name, String path) {
        check(name, path, MAX_PATH_BYTES);
        String[] parts = path.substring(Math.min(1, path.length())).split("/", -1);
        boolean isRoot = path.equals("/");
        boolean hasOddParts =
                Arrays.stream(parts).anyMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
        if (!path.startsWith("/") || (hasOddParts && !isRoot)) {
            throw PlatformException.invalid(name, path, "an absolute path without empty, . or .. parts");
        }
        for (String part : parts) {
            if (part.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
                throw PlatformException.invalid(name, path, "names of at most " + MAX_NAME_BYTES + " bytes");
            }
        }
        return path;
    }
}
