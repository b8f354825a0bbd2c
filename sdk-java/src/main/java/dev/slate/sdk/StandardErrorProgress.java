package dev.slate.sdk;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Phases as plain lines, or on a terminal as one line that each phase replaces. */
final class StandardErrorProgress implements Progress {

    private static final String CLEAR_LINE = "\r\033[2K";
    private static final int LINE_WIDTH = 100;

    private final PrintStream out;
    private final boolean rewrite;

    StandardErrorProgress(PrintStream out, boolean rewrite) {
        this.out = out;
        this.rewrite = rewrite;
    }

    static Progress create() {
        return new StandardErrorProgress(System.err, terminal() && !"dumb".equals(System.getenv("TERM")));
    }

    @Override
    public void phase(String message) {
        if (rewrite) {
            out.print(CLEAR_LINE + message.substring(0, Math.min(message.length(), LINE_WIDTH)));
            out.flush();
        } else {
            out.println(message);
        }
    }

    @Override
    public void done() {
        if (rewrite) {
            out.print(CLEAR_LINE);
            out.flush();
        }
    }

    /** Java only tells whether standard input and output are terminals, not standard error. */
    private static boolean terminal() {
        try {
            var target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }
}
