package dev.slate.controlplane.secret;

import dev.slate.common.error.PlatformException;
import java.util.regex.Pattern;

/** The name of a secret, usable as the name of an environment variable. */
public record SecretName(String value) {
    private static final Pattern VALID = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

    public SecretName {
        if (!VALID.matcher(value).matches()) {
            throw PlatformException.invalid("name", value, "a letter or _, then up to 127 letters, digits or _");
        }
    }
}
