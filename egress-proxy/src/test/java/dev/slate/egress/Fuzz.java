package dev.slate.egress;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/**
 * Feeds damaged inputs to a parser. The corpus is a file of hexadecimal lines under {@code fuzz}; an input that fails
 * is printed as such a line and belongs in there. By default as many inputs as a build can wait for, the same ones every
 * time; with {@code -Dslate.fuzz.seconds=60} new ones for so long.
 */
public final class Fuzz {

    private static final int ROUNDS = 6000;
    private static final byte[] SPECIAL = {0, 1, 0x7f, (byte) 0x80, (byte) 0xff, ' ', '\t', '\r', '\n', ':', ';', '0'};

    /** What an input is tried on; it throws if something is wrong. */
    public interface Target {
        void accept(byte[] input, Random random) throws Exception;
    }

    private Fuzz() {}

    /** Tries every input of the corpus as it is, and then damaged ones. */
    public static void run(String corpus, Target target) {
        var seeds = seeds(corpus);
        seeds.forEach(seed -> check(target, seed, new Random(0)));
        var seconds = Integer.getInteger("slate.fuzz.seconds", 0);
        var first = seconds == 0 ? 0 : System.nanoTime();
        var end = System.nanoTime() + seconds * 1_000_000_000L;
        for (var round = 0L; seconds == 0 ? round < ROUNDS : System.nanoTime() - end < 0; round++) {
            var random = new Random(first + round);
            check(target, damaged(seeds, random), random);
        }
    }

    private static void check(Target target, byte[] input, Random random) {
        try {
            target.accept(input, random);
        } catch (Exception | AssertionError e) {
            throw new AssertionError("input " + HexFormat.of().formatHex(input), e);
        }
    }

    private static byte[] damaged(List<byte[]> seeds, Random random) {
        var bytes = seeds.get(random.nextInt(seeds.size())).clone();
        for (var times = 1 + random.nextInt(6); times > 0 && bytes.length > 0; times--) {
            var at = random.nextInt(bytes.length);
            switch (random.nextInt(7)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = SPECIAL[random.nextInt(SPECIAL.length)];
                case 2 -> bytes[at] = (byte) random.nextInt();
                case 3 ->
                    bytes = joined(bytes, at, new byte[0], at + random.nextInt(Math.min(16, bytes.length - at) + 1));
                case 4 -> bytes = joined(bytes, at, new byte[] {SPECIAL[random.nextInt(SPECIAL.length)]}, at);
                case 5 -> bytes = joined(bytes, at, bytes, at);
                default -> {
                    var other = seeds.get(random.nextInt(seeds.size()));
                    bytes = joined(bytes, at, other, bytes.length);
                }
            }
        }
        return bytes.length > 64 * 1024 ? new byte[0] : bytes;
    }

    /** The bytes before one place, others, and those from another place on. */
    private static byte[] joined(byte[] bytes, int before, byte[] middle, int from) {
        var all = new ByteArrayOutputStream();
        all.write(bytes, 0, before);
        all.writeBytes(middle);
        all.write(bytes, from, bytes.length - from);
        return all.toByteArray();
    }

    private static List<byte[]> seeds(String corpus) {
        try (var in = Fuzz.class.getResourceAsStream("/fuzz/" + corpus + ".txt")) {
            if (in == null) {
                throw new IllegalArgumentException("no corpus " + corpus);
            }
            return new String(in.readAllBytes(), US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(HexFormat.of()::parseHex)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
