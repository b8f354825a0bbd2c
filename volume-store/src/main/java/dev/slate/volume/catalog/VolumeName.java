package dev.slate.volume.catalog;

import dev.slate.common.error.PlatformException;
import java.util.regex.Pattern;

/** A checked name of a volume, unique among the live ones of an environment. */
public record VolumeName(String value) {
    private static final Pattern VALID = Pattern.compile("[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?");

    public VolumeName {
        if (!VALID.matcher(value).matches()) {
            throw PlatformException.invalid(
                    "volume name",
                    value,
                    "1 to 63 of a-z, 0-9, dot, underscore and dash, with a letter or digit at both ends");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
