package dev.slate.sdk;

/** One entry of a command's log, in order. */
public sealed interface ExecEvent {

    /** Position in the log; {@link Sandbox#attach} continues after it with the next number. */
    long sequence();

    /** The command runs. */
    record Started(long sequence, String execId) implements ExecEvent {}

    /** A piece of standard output. */
    record Stdout(long sequence, Output bytes) implements ExecEvent {}

    /** A piece of standard error. */
    record Stderr(long sequence, Output bytes) implements ExecEvent {}

    /** So much output was dropped, because nobody read it in time. */
    record Dropped(long sequence, long bytes) implements ExecEvent {}

    /** The log is not kept any more; what remains is the end. */
    record LogGone(long sequence) implements ExecEvent {}

    /** Always the last. */
    record Ended(long sequence, ExecEnd end) implements ExecEvent {}
}
