package dev.slate.image.registry;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Small tars, well-meant and not. */
public final class Tars {
    private static final int BLOCK = 512;
    private static final char FILE = '0';
    private static final char LINK = '2';

    private Tars() {}

    public static byte[] ofFile(String name, String content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        entry(out, FILE, name, "", content);
        out.writeBytes(new byte[2 * BLOCK]);
        return out.toByteArray();
    }

    static byte[] ofLinkAndFile(String link, String target, String name, String content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        entry(out, LINK, link, target, "");
        entry(out, FILE, name, "", content);
        out.writeBytes(new byte[2 * BLOCK]);
        return out.toByteArray();
    }

    private static void entry(ByteArrayOutputStream out, char type, String name, String target, String content) {
        byte[] body = content.getBytes(StandardCharsets.UTF_8);
        byte[] header = new byte[BLOCK];
        put(header, 0, name);
        put(header, 100, "0000644\0");
        put(header, 108, "0000000\0");
        put(header, 116, "0000000\0");
        put(header, 124, "%011o\0".formatted(body.length));
        put(header, 136, "00000000000\0");
        put(header, 148, "        ");
        put(header, 156, String.valueOf(type));
        put(header, 157, target);
        put(header, 257, "ustar\00000");
        int sum = 0;
        for (byte value : header) {
            sum += value & 0xFF;
        }
        put(header, 148, "%06o\0 ".formatted(sum));
        out.writeBytes(header);
        out.writeBytes(Arrays.copyOf(body, (body.length + BLOCK - 1) / BLOCK * BLOCK));
    }

    private static void put(byte[] header, int offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, offset, bytes.length);
    }
}
