package dev.slate.runsc;

import java.util.regex.Pattern;

/** Names a container in {@code runsc}, in the control groups and in paths; a UUID is one. */
public record ContainerId(String value) {

    private static final Pattern SHAPE = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9-]{0,62}");

    public ContainerId {
        if (!SHAPE.matcher(value).matches()) {
            throw new IllegalArgumentException("container id: " + value + " (expected: 1 to 63 letters, digits or -)");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
