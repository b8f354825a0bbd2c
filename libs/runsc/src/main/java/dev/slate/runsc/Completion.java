package dev.slate.runsc;

/** How a container that ran to its end did so. */
public sealed interface Completion {

    /** The command ended by itself; 128 + n stands for signal n. */
    record Exited(int exitCode) implements Completion {}

    /** The memory limit was hit and the kernel ended the sandbox. */
    record OutOfMemory() implements Completion {}

    /** The time was over; everything inside was ended. */
    record TimedOut() implements Completion {}

    /** Someone called {@link ForegroundContainer#cancel()}; everything inside was ended. */
    record Cancelled() implements Completion {}
}
