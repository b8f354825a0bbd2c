package dev.slate.controlplane.agent;

/** One entry of an exec's log. Sequence numbers count from 1; every exec has exactly one terminal event, its last. */
@SuppressWarnings("ArrayRecordComponent") // output passes through once; a copy or a list of bytes would cost more
public sealed interface ExecEvent {
    long sequence();

    /** The process exists. */
    record Started(long sequence, int pid) implements ExecEvent {}

    record Stdout(long sequence, byte[] data) implements ExecEvent {}

    record Stderr(long sequence, byte[] data) implements ExecEvent {}

    /** The events {@code first} to {@code sequence} are gone, with that many bytes of output (or fewer, see PROTOCOL.md). */
    record Dropped(long sequence, long first, long bytes) implements ExecEvent {}

    /** The end. */
    sealed interface Terminal extends ExecEvent {}

    record Exited(long sequence, int code) implements Terminal {}

    record Signaled(long sequence, int signal) implements Terminal {}

    /** The time limit passed and the whole tree was ended. */
    record TimedOut(long sequence) implements Terminal {}

    /** The command could not be started; the exit code is what a shell would say: 127 not found, otherwise 126. */
    record Failed(long sequence, int exitCode, int errno, String message) implements Terminal {}

    /** The agent cannot be reached any more, so the real end is unknown. Made by the client, never by the agent. */
    record Lost(long sequence, String reason) implements Terminal {
        /** The reason when the agent just says nothing: the sandbox may live on. */
        public static final String SILENT = "the agent of the sandbox does not answer";
    }
}
