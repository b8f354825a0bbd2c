package dev.slate.common.grpc;

import dev.slate.common.error.PlatformException;
import java.time.Instant;

/** A place in a list that has the newest first, and by id what is of the same time. */
public record TimeCursor(Instant time, String id) {
    private static final TimeCursor START = new TimeCursor(Instant.parse("9999-01-01T00:00:00Z"), "");

    /** The place after which a page begins. */
    public static TimeCursor of(PageRequest page) {
        String after = page.after();
        if (after.isEmpty()) {
            return START;
        }
        int space = after.indexOf(' ');
        try {
            return new TimeCursor(Instant.parse(after.substring(0, space)), after.substring(space + 1));
        } catch (RuntimeException _) {
            throw PlatformException.invalid("page_token", after, "the token of the page before");
        }
    }

    /** The key of an entry for {@link PageRequest#page}. */
    public String key() {
        return time + " " + id;
    }
}
