package dev.slate.sdk;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads a list to its end, page by page. */
final class Pages {

    record Page<T>(List<T> items, String nextToken) {}

    private Pages() {}

    static <T> List<T> all(Function<String, Page<T>> read) {
        var items = new ArrayList<T>();
        var token = "";
        do {
            var page = read.apply(token);
            items.addAll(page.items());
            token = page.nextToken();
        } while (!token.isEmpty());
        return List.copyOf(items);
    }
}
