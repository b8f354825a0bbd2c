package dev.slate.sdk;

import java.util.Locale;

/** Kinds of files. */
public enum FileType {
    FILE,
    DIRECTORY,
    SYMLINK,
    OTHER;

    static FileType of(String word) {
        for (var type : values()) {
            if (type.name().toLowerCase(Locale.ROOT).equals(word)) {
                return type;
            }
        }
        return OTHER;
    }
}
