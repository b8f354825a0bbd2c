package dev.slate.cli.sandbox;

import dev.slate.sdk.CommandInfo;
import dev.slate.sdk.ExecEnd;
import java.time.Duration;

/** A command for people. */
final class CommandText {

    private static final int WIDTH = 60;

    private CommandText() {}

    /** What a shell would have as its exit status. */
    static String exit(CommandInfo info) {
        return info.end()
                .map(end -> switch (end) {
                    case ExecEnd.Exited(var code) -> Integer.toString(code);
                    case ExecEnd.Signaled(var signal) -> Integer.toString(128 + signal);
                    case ExecEnd.TimedOut _ -> "124";
                    case ExecEnd.NotStarted(var code, var _) -> Integer.toString(code);
                    case ExecEnd.Lost _ -> "-";
                })
                .orElse("-");
    }

    static String age(Duration age) {
        if (age.toMinutes() < 1) {
            return Math.max(0, age.toSeconds()) + "s";
        }
        if (age.toHours() < 1) {
            return age.toMinutes() + "m";
        }
        return age.toDays() < 1 ? age.toHours() + "h" : age.toDays() + "d";
    }

    /** On one line, without what a terminal would obey. */
    static String line(CommandInfo info) {
        var text = String.join(" ", info.command()).replaceAll("\\p{Cntrl}", " ");
        return text.length() > WIDTH || info.commandCut()
                ? text.substring(0, Math.min(WIDTH, text.length())) + "…"
                : text;
    }
}
