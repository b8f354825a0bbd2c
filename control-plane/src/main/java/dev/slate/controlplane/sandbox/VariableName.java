package dev.slate.controlplane.sandbox;

import dev.slate.common.error.PlatformException;
import java.util.regex.Pattern;

/** Checks names and values of environment variables. */
final class VariableName {
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final int LONGEST_VALUE = 64 << 10;

    private VariableName() {}

    static void require(String what, String name) {
        if (!SHAPE.matcher(name).matches()) {
            throw PlatformException.invalid(what, name, "letters, digits and _, not starting with a digit");
        }
    }

    /** The value is not part of the message: people put secrets into variables. */
    static void requireValue(String name, String value) {
        if (value.length() > LONGEST_VALUE || value.indexOf('\0') >= 0) {
            throw PlatformException.invalid(
                    "env " + name, value.length() + " characters", "at most 65536 characters without NUL");
        }
    }
}
