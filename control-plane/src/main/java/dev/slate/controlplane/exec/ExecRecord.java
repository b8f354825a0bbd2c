package dev.slate.controlplane.exec;

import dev.slate.controlplane.agent.ExecEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What is written down of a command. Neither its environment nor its input: both can hold secrets.
 *
 * @param requestDigest tells a repeated start from another one with the same id; empty if unknown
 */
record ExecRecord(
        ExecKey key,
        String environment,
        CommandLine command,
        String requestDigest,
        String workdir,
        String user,
        boolean terminal,
        Optional<Duration> timeout,
        Instant startedAt,
        Optional<End> end) {

    /** Its end, and when the platform learned of it. */
    record End(ExecEvent.Terminal how, Instant at) {}

    /** Whether a start with that request is this one again. */
    boolean isOf(String digest) {
        return requestDigest.isEmpty() || requestDigest.equals(digest);
    }
}
