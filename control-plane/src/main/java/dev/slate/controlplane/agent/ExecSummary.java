package dev.slate.controlplane.agent;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** An exec that the agent knows, running or finished. The pid is 0 if it never started. */
public record ExecSummary(String id, int pid, boolean finished, long nextSequence, Duration age, String command) {
    static ExecSummary read(Frame frame) throws AgentProtocolException {
        return new ExecSummary(
                AgentConnection.printable(frame.text()),
                frame.u32(),
                frame.flag(),
                frame.u64(),
                Duration.ofMillis(frame.u64()),
                AgentConnection.printable(new String(frame.bytes(), StandardCharsets.UTF_8)));
    }
}
