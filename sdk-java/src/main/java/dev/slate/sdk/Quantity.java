package dev.slate.sdk;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Pattern;

/** Amounts as people write them: {@code 500m} or {@code 0.5} CPUs, {@code 2Gi} of memory. */
final class Quantity {

    private static final Pattern CPU = Pattern.compile("(\\d+(?:\\.\\d{1,3})?)(m?)");
    private static final Pattern MEMORY = Pattern.compile("(\\d+(?:\\.\\d+)?)([kKMGT]i?|)");
    private static final Map<String, Long> UNITS = Map.of(
            "", 1L,
            "k", 1_000L,
            "K", 1_000L,
            "M", 1_000_000L,
            "G", 1_000_000_000L,
            "T", 1_000_000_000_000L,
            "Ki", 1L << 10,
            "Mi", 1L << 20,
            "Gi", 1L << 30,
            "Ti", 1L << 40);

    private Quantity() {}

    static int cpuMillis(String text) {
        var matcher = CPU.matcher(text.strip());
        if (matcher.matches()) {
            var number = new BigDecimal(matcher.group(1));
            var millis = matcher.group(2).isEmpty() ? number.movePointRight(3) : number;
            if (millis.signum() > 0
                    && millis.compareTo(BigDecimal.valueOf(1_000_000)) <= 0
                    && millis.stripTrailingZeros().scale() <= 0) {
                return millis.intValueExact();
            }
        }
        throw new IllegalArgumentException("cpu: " + text + " (expected: CPUs such as 1, 0.5 or 500m)");
    }

    static long memoryBytes(String text) {
        var matcher = MEMORY.matcher(text.strip());
        if (matcher.matches()) {
            var unit = UNITS.get(matcher.group(2));
            if (unit != null) {
                var bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
                if (bytes.signum() > 0 && bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) < 0) {
                    return bytes.longValue();
                }
            }
        }
        throw new IllegalArgumentException("memory: " + text + " (expected: bytes with a unit such as 512Mi or 2Gi)");
    }
}
