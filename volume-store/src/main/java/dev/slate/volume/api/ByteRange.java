package dev.slate.volume.api;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A part of a file, as the HTTP header {@code Range} asks for it. Both ends are included. */
record ByteRange(long first, long last) {
    private static final Pattern SINGLE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

    long length() {
        return last - first + 1;
    }

    /** The range of a header; empty when it is not one range of bytes, which HTTP wants ignored. */
    static Optional<ByteRange> parse(String header, long size) {
        Matcher match = SINGLE.matcher(header);
        if (!match.matches() || (match.group(1).isEmpty() && match.group(2).isEmpty())) {
            return Optional.empty();
        }
        if (match.group(1).isEmpty()) {
            long suffix = Long.parseLong(match.group(2));
            return Optional.of(new ByteRange(Math.max(0, size - suffix), size - 1));
        }
        long first = Long.parseLong(match.group(1));
        long last = match.group(2).isEmpty() ? size - 1 : Math.min(size - 1, Long.parseLong(match.group(2)));
        return Optional.of(new ByteRange(first, last));
    }

    /** Whether the file has at least one of these bytes. */
    boolean isSatisfiable(long size) {
        return first < size && first <= last;
    }
}
