package dev.slate.controlplane.exec;

import dev.slate.controlplane.agent.ExecEvent.Exited;
import dev.slate.controlplane.agent.ExecEvent.Failed;
import dev.slate.controlplane.agent.ExecEvent.Lost;
import dev.slate.controlplane.agent.ExecEvent.Signaled;
import dev.slate.controlplane.agent.ExecEvent.Terminal;
import dev.slate.controlplane.agent.ExecEvent.TimedOut;
import dev.slate.controlplane.runtime.SandboxId;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A row of {@code exec}. */
@Entity
@Table(name = "exec")
class ExecRow {
    static final String RUNNING = "RUNNING";
    static final String LOST = "LOST";

    @EmbeddedId
    Key key = new Key("", "");

    String environment = "";
    byte[] command = {};

    @Column(name = "command_cut")
    boolean commandCut;

    @Column(name = "request_digest")
    String requestDigest = "";

    String workdir = "";

    @Column(name = "run_as")
    String user = "";

    boolean terminal;

    @Column(name = "timeout_ms")
    long timeoutMillis;

    @Column(name = "started_at")
    Instant startedAt = Instant.EPOCH;

    String state = RUNNING;
    int code;
    String message = "";

    @Column(name = "end_sequence")
    long endSequence;

    @Column(name = "ended_at")
    @Nullable
    Instant endedAt;

    /** Ids are unique within a sandbox. */
    @Embeddable
    record Key(
            @Column(nullable = false) String sandbox,
            @Column(nullable = false) String id) {
        static Key of(ExecKey key) {
            return new Key(key.sandbox().value(), key.id());
        }

        ExecKey toKey() {
            return new ExecKey(new SandboxId(sandbox), id);
        }
    }

    static ExecRow of(ExecRecord command) {
        ExecRow row = new ExecRow();
        row.key = Key.of(command.key());
        row.environment = command.environment();
        row.command = command.command().encode();
        row.commandCut = command.command().cut();
        row.requestDigest = command.requestDigest();
        row.workdir = command.workdir();
        row.user = command.user();
        row.terminal = command.terminal();
        row.timeoutMillis = command.timeout().map(Duration::toMillis).orElse(0L);
        row.startedAt = command.startedAt();
        return row;
    }

    ExecRecord toRecord() {
        return new ExecRecord(
                key.toKey(),
                environment,
                CommandLine.decode(command, commandCut),
                requestDigest,
                workdir,
                user,
                terminal,
                timeoutMillis == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(timeoutMillis)),
                startedAt,
                Optional.ofNullable(endedAt).map(at -> new ExecRecord.End(how(), at)));
    }

    static String state(Terminal how) {
        return switch (how) {
            case Exited _ -> "EXITED";
            case Signaled _ -> "SIGNALED";
            case TimedOut _ -> "TIMED_OUT";
            case Failed _ -> "NOT_STARTED";
            case Lost _ -> LOST;
        };
    }

    static int code(Terminal how) {
        return switch (how) {
            case Exited(var _, var code) -> code;
            case Signaled(var _, var signal) -> signal;
            case Failed(var _, var code, var _, var _) -> code;
            case TimedOut _, Lost _ -> 0;
        };
    }

    static String message(Terminal how) {
        return switch (how) {
            case Failed(var _, var _, var _, var text) -> text;
            case Lost(var _, var reason) -> reason;
            case Exited _, Signaled _, TimedOut _ -> "";
        };
    }

    private Terminal how() {
        return switch (state) {
            case "EXITED" -> new Exited(endSequence, code);
            case "SIGNALED" -> new Signaled(endSequence, code);
            case "TIMED_OUT" -> new TimedOut(endSequence);
            case "NOT_STARTED" -> new Failed(endSequence, code, 0, message);
            case LOST -> new Lost(endSequence, message);
            default -> throw new IllegalStateException("state of command " + key + ": " + state);
        };
    }
}
