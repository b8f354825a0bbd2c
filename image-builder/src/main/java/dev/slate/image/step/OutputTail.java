package dev.slate.image.step;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Keeps the end of what a step printed. Thread-safe. */
final class OutputTail {
    private static final int KEPT_BYTES = 16_384;
    private static final int KEPT_LINES = 50;

    private byte[] tail = new byte[0];

    synchronized void add(byte[] output) {
        byte[] both = Arrays.copyOf(tail, tail.length + output.length);
        System.arraycopy(output, 0, both, tail.length, output.length);
        tail = Arrays.copyOfRange(both, Math.max(0, both.length - KEPT_BYTES), both.length);
    }

    synchronized String lines() {
        List<String> lines = new String(tail, StandardCharsets.UTF_8).lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - KEPT_LINES), lines.size()));
    }
}
