package dev.slate.runsc;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@code runsc} program that this library can use. */
public record RunscBinary(Path path, String version) {

    private static final Pattern VERSION = Pattern.compile("runsc version (\\S+)");
    private static final List<String> FOLDERS = List.of("/usr/local/bin", "/usr/local/sbin", "/usr/bin", "/usr/sbin");

    /** The first {@code runsc} in the usual folders. */
    public static RunscBinary find() {
        return FOLDERS.stream()
                .map(folder -> Path.of(folder, "runsc"))
                .filter(Files::isExecutable)
                .findFirst()
                .map(RunscBinary::check)
                .orElseThrow(() -> new RunscException("runsc: not found in " + FOLDERS
                        + " (expected: gVisor; Debian 12 has it in bookworm-backports)"));
    }

    /** Checks that the program is gVisor and has the systrap platform; there is nothing to fall back to. */
    public static RunscBinary check(Path path) {
        Matcher version = VERSION.matcher(HostCommand.run(path.toString(), "--version"));
        if (!version.find()) {
            throw new RunscException(path + ": does not say its version (expected: gVisor's runsc)");
        }
        // Prints the flags on either stream and ends with an exit code that differs between builds.
        String flags = HostCommand.tryRun(List.of(path.toString(), "flags"), "").output();
        if (!flags.contains("systrap")) {
            throw new RunscException(path + ": version " + version.group(1)
                    + " lacks the systrap platform (expected: a build of 2023-05 or newer)");
        }
        return new RunscBinary(path, version.group(1));
    }
}
