package dev.slate.controlplane.exec;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.TimeCursor;
import dev.slate.controlplane.agent.AgentClient;
import dev.slate.controlplane.agent.ExecEvent;
import dev.slate.controlplane.agent.ExecRequest;
import dev.slate.controlplane.runtime.SandboxId;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;

/** Starts each command once, and finds its log and its record. Thread-safe. */
@Singleton
class ExecLogs {
    private final ExecStore store;
    private final ExecEnds ends;
    private final ExecReconciler reconciler;

    ExecLogs(ExecStore store, ExecEnds ends, ExecReconciler reconciler) {
        this.store = store;
        this.ends = ends;
        this.reconciler = reconciler;
    }

    /** Writes a command down and starts it; one that was started by the same request before is attached to. */
    ExecLog start(AgentClient agent, ExecRecord wanted, ExecRequest request) {
        if (!store.add(wanted)) {
            ends.flush();
            ExecRecord earlier = store.find(wanted.key()).orElse(wanted);
            if (!earlier.isOf(wanted.requestDigest())) {
                throw new PlatformException(
                        ErrorCode.IDEMPOTENCY_CONFLICT,
                        "exec id %s was used in this sandbox for another command"
                                .formatted(wanted.key().id()));
            }
            if (earlier.end().isPresent()) {
                return attach(Optional.of(agent), wanted.key(), 0);
            }
        }
        try {
            return new ExecLog.Started(agent.start(request));
        } catch (PlatformException failure) {
            return switch (failure.code().kind()) {
                case CONFLICT -> attach(Optional.of(agent), wanted.key(), 0);
                // Whether it was started is not known; the reconciler finds out.
                case UNAVAILABLE, CANCELLED, DEADLINE_EXCEEDED, INTERNAL -> throw failure;
                case INVALID_ARGUMENT,
                        UNAUTHENTICATED,
                        PERMISSION_DENIED,
                        NOT_FOUND,
                        FAILED_PRECONDITION,
                        RESOURCE_EXHAUSTED,
                        UNSUPPORTED -> {
                    store.remove(wanted.key());
                    throw failure;
                }
            };
        }
    }

    /** The log from an event on; what is left of it when the sandbox, if it runs, has none. */
    ExecLog attach(Optional<AgentClient> agent, ExecKey key, long from) {
        if (agent.isPresent()) {
            try {
                return new ExecLog.Attached(agent.get().attach(key.id(), from));
            } catch (PlatformException failure) {
                if (failure.code() != ErrorCode.NOT_FOUND) {
                    throw failure;
                }
            }
        }
        ExecRecord.End end = get(key).end()
                .orElseThrow(() -> new PlatformException(
                        ErrorCode.UNAVAILABLE,
                        "the sandbox does not tell now how command %s goes on".formatted(key.id())));
        return new ExecLog.Gone(end.how());
    }

    ExecRecord get(ExecKey key) {
        Optional<ExecRecord> found = fresh(key);
        if (found.isEmpty() || found.get().end().isEmpty()) {
            reconciler.settle(key.sandbox());
            found = fresh(key);
        }
        return found.orElseThrow(() -> PlatformException.notFound("command", key.id()));
    }

    List<ExecRecord> list(SandboxId sandbox, boolean runningOnly, TimeCursor after, int limit) {
        reconciler.settle(sandbox);
        return store.list(sandbox, runningOnly, after, limit);
    }

    /** The place of the newest event that the log has now. */
    static long last(AgentClient agent, ExecKey key) {
        return agent.list().stream()
                .filter(summary -> summary.id().equals(key.id()))
                .mapToLong(summary -> summary.nextSequence() - 1)
                .findFirst()
                .orElse(0);
    }

    /** A loss that only a stream sees is none: the sandbox may come back. */
    void noteEnd(ExecKey key, ExecEvent event) {
        if (event instanceof ExecEvent.Terminal end && !(end instanceof ExecEvent.Lost)) {
            ends.add(key, end);
        }
    }

    private Optional<ExecRecord> fresh(ExecKey key) {
        ends.flush();
        return store.find(key);
    }
}
