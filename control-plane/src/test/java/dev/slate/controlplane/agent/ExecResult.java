package dev.slate.controlplane.agent;

import dev.slate.controlplane.agent.ExecEvent.Dropped;
import dev.slate.controlplane.agent.ExecEvent.Started;
import dev.slate.controlplane.agent.ExecEvent.Stderr;
import dev.slate.controlplane.agent.ExecEvent.Stdout;
import dev.slate.controlplane.agent.ExecEvent.Terminal;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Everything that an exec said, collected. */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record ExecResult(List<ExecEvent> events, byte[] stdout, String stderr, Terminal end) {
    static ExecResult of(ExecStream stream) {
        List<ExecEvent> events = new ArrayList<>();
        ByteArrayOutputStream stdout = new ByteArrayOutputStream();
        ByteArrayOutputStream stderr = new ByteArrayOutputStream();
        try (stream) {
            Terminal end = stream.forEach(event -> {
                events.add(event);
                switch (event) {
                    case Stdout output -> stdout.writeBytes(output.data());
                    case Stderr output -> stderr.writeBytes(output.data());
                    case Started _, Dropped _, Terminal _ -> {}
                }
            });
            return new ExecResult(
                    List.copyOf(events), stdout.toByteArray(), stderr.toString(StandardCharsets.UTF_8), end);
        }
    }

    String text() {
        return new String(stdout, StandardCharsets.UTF_8);
    }
}
