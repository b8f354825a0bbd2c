package dev.slate.controlplane.exec;

import dev.slate.common.error.PlatformException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** The numbers of signals on Linux. */
final class Signals {
    private static final Map<String, Integer> NUMBERS = Map.ofEntries(
            Map.entry("HUP", 1),
            Map.entry("INT", 2),
            Map.entry("QUIT", 3),
            Map.entry("ABRT", 6),
            Map.entry("KILL", 9),
            Map.entry("USR1", 10),
            Map.entry("USR2", 12),
            Map.entry("PIPE", 13),
            Map.entry("ALRM", 14),
            Map.entry("TERM", 15),
            Map.entry("CONT", 18),
            Map.entry("STOP", 19),
            Map.entry("TSTP", 20),
            Map.entry("WINCH", 28));

    private Signals() {}

    /** The number of a signal, named with or without SIG. */
    static int number(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        Integer number = NUMBERS.get(upper.startsWith("SIG") ? upper.substring(3) : upper);
        if (number == null) {
            throw PlatformException.invalid("signal", name, String.join(", ", new TreeSet<>(NUMBERS.keySet())));
        }
        return number;
    }
}
