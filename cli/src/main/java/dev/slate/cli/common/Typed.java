package dev.slate.cli.common;

import java.io.Console;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads what users type. */
public final class Typed {

    private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s|m|h|d)");

    private Typed() {}

    /** {@code 900s}, {@code 15m}, {@code 8h}, {@code 2d}. */
    public static Duration duration(String option, String text) {
        var matcher = DURATION.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(option + ": " + text + " (expected: a time such as 900s, 15m or 8h)");
        }
        var number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }

    /** {@code NAME=VALUE}; the value may hold more equals signs. */
    public static Map.Entry<String, String> pair(String option, String text) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException(option + ": " + text + " (expected: NAME=VALUE)");
        }
        return Map.entry(text.substring(0, equals), text.substring(equals + 1));
    }

    /** Asks on a terminal without showing what is typed; otherwise the first line of standard input. */
    public static String secret(String prompt) {
        // Null or not a terminal, which differs between versions of Java.
        var terminal = Optional.ofNullable(System.console()).filter(Console::isTerminal);
        if (terminal.isPresent()) {
            var typed = terminal.get().readPassword("%s: ", prompt);
            return typed == null ? "" : new String(typed);
        }
        try {
            var input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
            return input.endsWith("\n") ? input.substring(0, input.length() - 1) : input;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read standard input", e);
        }
    }
}
