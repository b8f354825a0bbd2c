package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Set;

/** The part of the platform's own HTTP interface that sandboxes may see. */
final class PlatformPaths {

    private static final List<String> OPEN = List.of("/v1/router", "/v1/mcp");
    private static final Set<String> DOTS = Set.of(".", "..");

    private PlatformPaths() {}

    /** Whether a request target stays below the gateways however the server behind reads it. */
    static boolean isOpen(String target) {
        var query = target.indexOf('?');
        var path = query < 0 ? target : target.substring(0, query);
        if (OPEN.stream().noneMatch(prefix -> path.equals(prefix) || path.startsWith(prefix + "/"))) {
            return false;
        }
        var decoded = decode(path);
        if (decoded.chars().anyMatch(c -> c == '%' || c == '\\' || c == ';' || c < 0x20 || c == 0x7f)) {
            return false;
        }
        for (var segment : decoded.split("/", -1)) {
            if (DOTS.contains(segment)) {
                return false;
            }
        }
        return !decoded.contains("//");
    }

    /** Decodes once; what is no proper escape stays and is refused for its percent sign. */
    private static String decode(String path) {
        var out = new ByteArrayOutputStream();
        for (var i = 0; i < path.length(); i++) {
            var high = i + 2 < path.length() ? Character.digit(path.charAt(i + 1), 16) : -1;
            var low = i + 2 < path.length() ? Character.digit(path.charAt(i + 2), 16) : -1;
            if (path.charAt(i) == '%' && high >= 0 && low >= 0) {
                out.write((high << 4) | low);
                i += 2;
            } else {
                out.write(path.charAt(i));
            }
        }
        return out.toString(ISO_8859_1);
    }
}
