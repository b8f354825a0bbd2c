package dev.slate.controlplane.exec;

import dev.slate.common.error.PlatformException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The words of a command as far as they are kept, and whether something is missing at the end. */
record CommandLine(List<String> words, boolean cut) {
    private static final int MOST_BYTES = 64 * 1024;
    private static final int LISTED_BYTES = 1024;
    private static final String SEPARATOR = "\0";

    CommandLine {
        words = List.copyOf(words);
    }

    /** Keeps the first 64 KiB. */
    static CommandLine of(List<String> words) {
        return of(words, MOST_BYTES);
    }

    /** As a list shows it: the first 1 KiB. */
    CommandLine shortened() {
        CommandLine shorter = of(words, LISTED_BYTES);
        return new CommandLine(shorter.words(), cut || shorter.cut());
    }

    private static CommandLine of(List<String> words, int bytes) {
        List<String> kept = new ArrayList<>();
        int left = bytes;
        for (String word : words) {
            if (word.contains(SEPARATOR)) {
                throw PlatformException.invalid("command", word.replace('\0', '?'), "words without NUL");
            }
            int length = word.getBytes(StandardCharsets.UTF_8).length + 1;
            if (length > left) {
                kept.add(prefix(word, left - 1));
                return new CommandLine(kept, true);
            }
            kept.add(word);
            left -= length;
        }
        return new CommandLine(kept, false);
    }

    static CommandLine decode(byte[] bytes, boolean cut) {
        return new CommandLine(List.of(new String(bytes, StandardCharsets.UTF_8).split(SEPARATOR, -1)), cut);
    }

    byte[] encode() {
        return String.join(SEPARATOR, words).getBytes(StandardCharsets.UTF_8);
    }

    private static String prefix(String word, int bytes) {
        int length = Math.max(0, Math.min(word.length(), bytes));
        while (word.substring(0, length).getBytes(StandardCharsets.UTF_8).length > bytes && length > 0) {
            length--;
        }
        boolean halfPair = length > 0 && Character.isHighSurrogate(word.charAt(length - 1));
        return word.substring(0, halfPair ? length - 1 : length);
    }
}
