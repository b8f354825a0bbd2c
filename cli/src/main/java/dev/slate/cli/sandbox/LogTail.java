package dev.slate.cli.sandbox;

import dev.slate.sdk.ExecEvent;
import dev.slate.sdk.Output;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** The last lines of a log, over both streams as they came. */
final class LogTail {

    private LogTail() {}

    /** A part of one of the streams. */
    @SuppressWarnings("ArrayRecordComponent") // printed and forgotten
    record Piece(boolean error, byte[] bytes) {}

    static Collection<Piece> of(List<ExecEvent> events, int lines) {
        var pieces = new ArrayDeque<Piece>();
        var left = lines;
        var atEnd = true;
        for (var event : events.reversed()) {
            if (left == 0) {
                break;
            }
            var piece = piece(event);
            var begin = piece.bytes().length;
            while (begin > 0 && (piece.bytes()[begin - 1] != '\n' || atEnd || --left > 0)) {
                atEnd = false;
                begin--;
            }
            pieces.addFirst(new Piece(piece.error(), Arrays.copyOfRange(piece.bytes(), begin, piece.bytes().length)));
        }
        return pieces;
    }

    private static Piece piece(ExecEvent event) {
        return switch (event) {
            case ExecEvent.Stdout(var _, Output bytes) -> new Piece(false, bytes.bytes());
            case ExecEvent.Stderr(var _, Output bytes) -> new Piece(true, bytes.bytes());
            case ExecEvent.Started _, ExecEvent.Dropped _, ExecEvent.LogGone _, ExecEvent.Ended _ ->
                new Piece(false, new byte[0]);
        };
    }
}
