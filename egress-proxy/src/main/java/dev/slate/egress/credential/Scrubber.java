package dev.slate.egress.credential;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts placeholders back where an answer repeats a secret: the raw value and its base64 forms. Best effort, because a
 * host can encode what it was sent in any way it likes. Feeds of any size, nothing is held back but a possible start of
 * a secret. Used by one answer, not thread-safe.
 */
public final class Scrubber {

    /** Shorter values would match by accident. */
    private static final int SHORTEST = 6;

    private static final class Needle {
        private final byte[] text;
        private final byte[] replacement;

        private Needle(byte[] text, byte[] replacement) {
            this.text = text;
            this.replacement = replacement;
        }
    }

    private final List<Needle> needles;
    private final boolean[] firstBytes = new boolean[256];
    private final boolean sameLength;
    private byte[] held = new byte[0];

    private Scrubber(List<Needle> needles, boolean sameLength) {
        this.needles = needles;
        this.sameLength = sameLength;
        needles.forEach(needle -> firstBytes[needle.text[0] & 0xff] = true);
    }

    /** Replaces secrets by their placeholders, which may change the length. */
    public static Scrubber of(Collection<Credential> credentials) {
        return new Scrubber(needles(credentials), false);
    }

    /** Overwrites secrets with as many bytes, for bodies whose length and offsets must not change. */
    public static Scrubber keepingLength(Collection<Credential> credentials) {
        return new Scrubber(needles(credentials), true);
    }

    /** Whether there is anything to look for. */
    public boolean isNeeded() {
        return !needles.isEmpty();
    }

    /** A header value without the secrets. */
    public static String scrub(Collection<Credential> credentials, String value) {
        var scrubber = of(credentials);
        if (!scrubber.isNeeded()) {
            return value;
        }
        var out = new ByteArrayOutputStream();
        out.writeBytes(scrubber.feed(value.getBytes(ISO_8859_1)));
        out.writeBytes(scrubber.finish());
        return out.toString(ISO_8859_1);
    }

    /** What can be passed on after this piece. */
    public byte[] feed(byte[] piece) {
        var input = held.length == 0 ? piece : concat(held, piece);
        var out = new ByteArrayOutputStream(input.length + 64);
        var at = 0;
        while (at < input.length) {
            if (!firstBytes[input[at] & 0xff]) {
                out.write(input[at++]);
                continue;
            }
            var needle = matchAt(input, at);
            if (needle != null) {
                out.writeBytes(replacement(needle));
                at += needle.text.length;
            } else if (couldStartAt(input, at)) {
                break;
            } else {
                out.write(input[at++]);
            }
        }
        held = Arrays.copyOfRange(input, at, input.length);
        return out.toByteArray();
    }

    /** The rest, once nothing more will come. */
    public byte[] finish() {
        var rest = held;
        held = new byte[0];
        return rest;
    }

    private byte[] replacement(Needle needle) {
        if (!sameLength) {
            return needle.replacement;
        }
        var filled = Arrays.copyOf(needle.replacement, needle.text.length);
        if (filled.length > needle.replacement.length) {
            Arrays.fill(filled, needle.replacement.length, filled.length, (byte) '*');
        }
        return filled;
    }

    private @Nullable Needle matchAt(byte[] input, int at) {
        for (var needle : needles) {
            var end = at + needle.text.length;
            if (end <= input.length && Arrays.equals(needle.text, 0, needle.text.length, input, at, end)) {
                return needle;
            }
        }
        return null;
    }

    private boolean couldStartAt(byte[] input, int at) {
        var rest = input.length - at;
        return needles.stream()
                .anyMatch(needle ->
                        rest < needle.text.length && Arrays.equals(needle.text, 0, rest, input, at, input.length));
    }

    private static List<Needle> needles(Collection<Credential> credentials) {
        var needles = new ArrayList<Needle>();
        for (var credential : credentials) {
            credential.value().filter(value -> value.length() >= SHORTEST).ifPresent(value -> {
                var replacement = credential.placeholder().value().getBytes(ISO_8859_1);
                var raw = value.reveal();
                needles.add(new Needle(raw, replacement));
                for (var offset = 0; offset < 3; offset++) {
                    needles.add(new Needle(base64(raw, offset), replacement));
                }
            });
        }
        needles.sort((a, b) -> Integer.compare(b.text.length, a.text.length));
        return List.copyOf(needles);
    }

    /** The characters of the value's base64 that do not depend on what stands before or after it. */
    private static byte[] base64(byte[] raw, int bytesBefore) {
        var shifted = new byte[bytesBefore + raw.length];
        System.arraycopy(raw, 0, shifted, bytesBefore, raw.length);
        var encoded = Base64.getEncoder().withoutPadding().encode(shifted);
        var from = (bytesBefore * 8 + 5) / 6;
        var to = shifted.length * 8 / 6;
        return Arrays.copyOfRange(encoded, from, to);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        var all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }
}
