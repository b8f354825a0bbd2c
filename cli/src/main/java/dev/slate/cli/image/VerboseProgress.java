package dev.slate.cli.image;

import dev.slate.sdk.Progress;
import java.io.PrintWriter;

/** Phases and all output of build steps. */
final class VerboseProgress implements Progress {

    private final PrintWriter out;

    VerboseProgress(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void phase(String message) {
        out.println(message);
        out.flush();
    }

    @Override
    public void output(String text) {
        out.print(text);
        out.flush();
    }
}
