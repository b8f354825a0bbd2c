package dev.slate.runsc;

import java.nio.file.Path;

/** Where writes to the root file system go. */
public sealed interface RootWrites {

    /** Straight to the root folder on the host: what a build step needs. */
    record ToHost() implements RootWrites {}

    /** To an unlinked file in a host folder; the root folder stays untouched, reads and writes stay in the sandbox. */
    record ToFile(Path folder) implements RootWrites {}

    /** To the sandbox's memory, counted against its memory limit. */
    record ToMemory() implements RootWrites {}
}
