package dev.slate.sdk;

/** How a command ended. */
public sealed interface ExecEnd {

    record Exited(int code) implements ExecEnd {}

    record Signaled(int signal) implements ExecEnd {}

    /** It ran into its time limit. */
    record TimedOut() implements ExecEnd {}

    /** It never ran: code 127 for not found, 126 for not executable. */
    record NotStarted(int code, String message) implements ExecEnd {}

    /** The sandbox ended first. */
    record Lost(String message) implements ExecEnd {}
}
