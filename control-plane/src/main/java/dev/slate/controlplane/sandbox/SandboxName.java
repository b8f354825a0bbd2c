package dev.slate.controlplane.sandbox;

import dev.slate.common.error.PlatformException;
import java.util.regex.Pattern;

/** A name, unique among the live sandboxes of an environment; also the host name inside. */
public record SandboxName(String value) {
    private static final Pattern SHAPE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    public SandboxName {
        if (!SHAPE.matcher(value).matches()) {
            throw PlatformException.invalid("name", value, "1 to 63 lower-case letters, digits and inner hyphens");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
