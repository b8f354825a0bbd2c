package dev.slate.egress.policy;

import java.util.List;
import java.util.function.Function;

/**
 * What rules look at in a request.
 *
 * @param target path and query as sent
 * @param headers the values of a header, by its name in any case
 */
public record RequestFacts(String method, String target, Function<String, List<String>> headers) {

    /** The path as sent, still encoded. */
    String path() {
        var query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    /** The query as sent; empty if there is none. */
    String query() {
        var query = target.indexOf('?');
        return query < 0 ? "" : target.substring(query + 1);
    }
}
