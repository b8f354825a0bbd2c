package dev.slate.controlplane.agent;

import dev.slate.common.error.PlatformException;

/** Columns and rows of a terminal, 1 to 65535 each. */
public record TerminalSize(int columns, int rows) {
    private static final int MOST = 0xFFFF;

    public TerminalSize {
        if (columns < 1 || columns > MOST || rows < 1 || rows > MOST) {
            throw PlatformException.invalid("terminal", columns + " by " + rows, "1 to 65535 columns and rows");
        }
    }

    FrameBuilder write(FrameBuilder frame) {
        return frame.u16(columns).u16(rows);
    }
}
