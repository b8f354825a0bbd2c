package dev.slate.e2e.interactive;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jline.builtins.ScreenTerminal;

/**
 * The screen of a terminal, as a person would see it. It obeys what programs write to it and answers what they ask, which
 * full-screen programs wait for. Written by one thread, looked at by any.
 */
final class Screen extends OutputStream {
    private final ScreenTerminal terminal;
    private final OutputStream record;
    private final Consumer<String> answers;
    private final CharsetDecoder decoder =
            StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPLACE);
    private byte[] unread = {};

    Screen(int columns, int rows, OutputStream record, Consumer<String> answers) {
        this.terminal = new ScreenTerminal(columns, rows);
        this.record = record;
        this.answers = answers;
    }

    void resize(int columns, int rows) {
        terminal.setSize(columns, rows);
    }

    List<String> rows() {
        return terminal.toString().lines().map(String::stripTrailing).toList();
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        record.write(bytes, offset, length);
        ByteBuffer all = ByteBuffer.allocate(unread.length + length)
                .put(unread)
                .put(bytes, offset, length)
                .flip();
        CharBuffer text = CharBuffer.allocate(all.remaining());
        decoder.decode(all, text, false);
        unread = new byte[all.remaining()];
        all.get(unread);
        terminal.write(text.flip());
        String answer = terminal.read();
        if (!answer.isEmpty()) {
            answers.accept(answer);
        }
    }
}
