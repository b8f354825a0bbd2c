package dev.slate.common.grpc;

import dev.slate.common.error.PlatformException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;

/**
 * Which part of a list a client wants: at most {@code limit} entries whose key sorts after {@code after}. Stores return
 * up to {@link #fetch} entries, one more than the limit, so that {@link #page} knows whether more follow.
 */
public record PageRequest(int limit, String after) {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1000;

    /** From the members of a list request; size 0 is the default of 100, a longer page than 1000 is cut to that. */
    public static PageRequest of(int pageSize, String pageToken) {
        if (pageSize < 0) {
            throw PlatformException.invalid("page_size", pageSize, "0 to " + MAX_LIMIT);
        }
        int limit = pageSize == 0 ? DEFAULT_LIMIT : Math.min(pageSize, MAX_LIMIT);
        try {
            return new PageRequest(limit, new String(Base64.getUrlDecoder().decode(pageToken), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException _) {
            throw PlatformException.invalid("page_token", pageToken, "the token of the page before");
        }
    }

    /** How many entries a store looks up. */
    public int fetch() {
        return limit + 1;
    }

    /** The page made of what a store found, in the order of the keys. */
    public <T> Page<T> page(List<T> fetched, Function<T, String> key) {
        if (fetched.size() <= limit) {
            return new Page<>(fetched, "");
        }
        List<T> entries = fetched.subList(0, limit);
        byte[] last = key.apply(entries.getLast()).getBytes(StandardCharsets.UTF_8);
        return new Page<>(entries, Base64.getUrlEncoder().withoutPadding().encodeToString(last));
    }

    /** A part of a list, and the token of the next part, or an empty one. */
    public record Page<T>(List<T> entries, String nextToken) {
        public Page {
            entries = List.copyOf(entries);
        }
    }
}
