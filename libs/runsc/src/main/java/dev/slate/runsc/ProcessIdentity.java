package dev.slate.runsc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A process that cannot be mistaken for a later one with the same number. */
public record ProcessIdentity(long pid, long startTicks) {

    private static final int START_TIME_FIELD = 19;

    /** The process that has this number now. */
    static Optional<ProcessIdentity> of(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
            // The program's name may hold spaces and brackets, so count from its end.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            boolean ended = fields[0].equals("Z") || fields[0].equals("X");
            return ended
                    ? Optional.empty()
                    : Optional.of(new ProcessIdentity(pid, Long.parseLong(fields[START_TIME_FIELD])));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether the process still runs; one that ended and was not collected by its parent does not. */
    public boolean isAlive() {
        return of(pid).filter(this::equals).isPresent();
    }

    void kill() {
        if (isAlive()) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    /** The command line, empty when the process has ended. */
    List<String> commandLine() {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.UTF_8);
            return List.of(line.split("\0"));
        } catch (IOException e) {
            return List.of();
        }
    }
}
