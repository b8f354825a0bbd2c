package dev.slate.controlplane.runtime;

import dev.slate.common.error.PlatformException;
import java.util.regex.Pattern;

/** Names one sandbox for ever: a UUID. */
public record SandboxId(String value) {
    private static final Pattern SHAPE = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    public SandboxId {
        if (!isOne(value)) {
            throw PlatformException.invalid("sandbox id", value, "a UUID in lower case");
        }
    }

    /** Whether a text has the form of an id, as against a name. */
    public static boolean isOne(String text) {
        return SHAPE.matcher(text).matches();
    }

    @Override
    public String toString() {
        return value;
    }
}
