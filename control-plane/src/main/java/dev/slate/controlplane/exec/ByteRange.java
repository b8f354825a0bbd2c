package dev.slate.controlplane.exec;

import dev.slate.common.error.PlatformException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A part of a file, as the first range of an HTTP {@code Range} header names it (RFC 9110). */
record ByteRange(long first, long length) {
    private static final Pattern SHAPE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

    /** The part that a header asks for of a file of that size; empty without a header. */
    static Optional<ByteRange> parse(@Nullable String header, long size) {
        if (header == null) {
            return Optional.empty();
        }
        Matcher range = SHAPE.matcher(header);
        if (!range.matches() || (range.group(1).isEmpty() && range.group(2).isEmpty())) {
            throw PlatformException.invalid("range", header, "bytes=first-last, bytes=first- or bytes=-count");
        }
        long first = range.group(1).isEmpty()
                ? Math.max(0, size - Long.parseLong(range.group(2)))
                : Long.parseLong(range.group(1));
        long last = range.group(1).isEmpty() || range.group(2).isEmpty()
                ? size - 1
                : Math.min(size - 1, Long.parseLong(range.group(2)));
        if (first > last) {
            throw PlatformException.invalid("range", header, "a part of the %d bytes".formatted(size));
        }
        return Optional.of(new ByteRange(first, last - first + 1));
    }

    long last() {
        return first + length - 1;
    }
}
