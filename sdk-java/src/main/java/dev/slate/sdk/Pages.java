package dev.slate.sdk;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

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

    /** The same, a page at a time as it is needed. */
    static <T> Stream<T> stream(Function<String, Page<T>> read) {
        return Stream.iterate(
                        Optional.of(read.apply("")),
                        Optional::isPresent,
                        page -> page.map(Page::nextToken)
                                .filter(token -> !token.isEmpty())
                                .map(read))
                .flatMap(page -> page.orElseThrow().items().stream());
    }
}
