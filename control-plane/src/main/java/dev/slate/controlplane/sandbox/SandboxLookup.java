package dev.slate.controlplane.sandbox;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.TimeCursor;
import dev.slate.controlplane.runtime.SandboxId;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Finds the sandboxes of a caller's environment. Unknown and foreign ones give the same answer. Thread-safe. */
@Singleton
public class SandboxLookup {
    /** After a restart of the platform a running sandbox is adopted first. */
    private static final Duration ADOPTION_LIMIT = Duration.ofSeconds(10);

    private final SandboxRecords records;
    private final SandboxReconciler reconciler;

    SandboxLookup(SandboxRecords records, SandboxReconciler reconciler) {
        this.records = records;
        this.reconciler = reconciler;
    }

    /** What commands in a running sandbox need; a sandbox that does not run is refused with its state and cause. */
    public Found running(Caller caller, String reference) {
        Sandbox sandbox = find(caller.require(Permission.DEPLOY_REDEPLOY), reference);
        LiveSandbox live = reconciler.find(sandbox.id()).orElseThrow(() -> ended(sandbox));
        if (!(live.current().state() instanceof SandboxState.Running)) {
            throw notRunning(live.current());
        }
        return new Found(sandbox.id(), awaitCommands(live).orElseThrow(() -> notRunning(live.current())));
    }

    /** What commands in a sandbox need, once it is taken up; empty if it does not run. */
    public Optional<Commands> awaitCommands(Sandbox sandbox) {
        return reconciler
                .find(sandbox.id())
                .filter(live -> live.current().state() instanceof SandboxState.Running)
                .flatMap(SandboxLookup::awaitCommands);
    }

    /** By id, or by the name of a live sandbox, or else of the one that had the name last. */
    public Sandbox findForCommands(Caller caller, String reference) {
        return findAny(caller.require(Permission.DEPLOY_REDEPLOY), reference);
    }

    /** A sandbox of any environment, live or not. */
    public Optional<Sandbox> find(SandboxId id) {
        return reconciler.find(id).map(LiveSandbox::current).or(() -> records.find(id));
    }

    /** What commands need in a sandbox of any environment; empty if it does not run, or is being taken up. */
    public Optional<Commands> commands(SandboxId id) {
        return reconciler
                .find(id)
                .filter(live -> live.current().state() instanceof SandboxState.Running)
                .flatMap(LiveSandbox::commands);
    }

    /** Why a sandbox does not run any more, empty while it does. */
    public Optional<String> lost(SandboxId id) {
        return find(id).filter(sandbox -> !(sandbox.state() instanceof SandboxState.Running))
                .map(Sandbox::describe);
    }

    /** A running sandbox. */
    public record Found(SandboxId id, Commands commands) {}

    /** By id, or by the name of a live sandbox. */
    Sandbox find(Caller caller, String reference) {
        return byReference(caller, reference, false);
    }

    /** By id, or by the name of a live sandbox, or else of the one that had the name last. */
    Sandbox findAny(Caller caller, String reference) {
        return byReference(caller, reference, true);
    }

    List<Sandbox> list(Caller caller, boolean ended, TimeCursor after, int limit) {
        caller.require(Permission.DEPLOY_READ);
        return records.list(caller.environment(), ended, after, limit).stream()
                .map(this::newest)
                .toList();
    }

    private static Optional<Commands> awaitCommands(LiveSandbox live) {
        try {
            var _ = live.await(known -> known.commands().isPresent(), ADOPTION_LIMIT);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PlatformException(ErrorCode.CANCELLED, "interrupted", interrupted);
        }
        return live.commands();
    }

    static PlatformException ended(Sandbox sandbox) {
        return new PlatformException(ErrorCode.FAILED_PRECONDITION, sandbox.describe());
    }

    private Sandbox byReference(Caller caller, String reference, boolean ended) {
        String environment = caller.environment();
        Optional<Sandbox> known = known(environment, reference);
        if (known.isPresent()) {
            return known.get();
        }
        Optional<Sandbox> found;
        if (SandboxId.isOne(reference)) {
            found = records.find(environment, new SandboxId(reference));
        } else {
            found = ended ? records.findLatest(environment, reference) : records.findLive(environment, reference);
        }
        return found.map(this::newest).orElseThrow(() -> PlatformException.notFound("sandbox", reference));
    }

    /** The sandboxes in memory are newer than their records, and cost no query. */
    private Optional<Sandbox> known(String environment, String reference) {
        return reconciler.all().stream()
                .map(LiveSandbox::current)
                .filter(sandbox -> sandbox.environment().equals(environment))
                .filter(sandbox -> sandbox.id().value().equals(reference)
                        || (!(sandbox.state() instanceof SandboxState.Ended)
                                && sandbox.spec()
                                        .name()
                                        .filter(name -> name.value().equals(reference))
                                        .isPresent()))
                .findFirst();
    }

    private Sandbox newest(Sandbox recorded) {
        return reconciler.find(recorded.id()).map(LiveSandbox::current).orElse(recorded);
    }

    private static PlatformException notRunning(Sandbox sandbox) {
        return sandbox.state() instanceof SandboxState.Coming
                ? new PlatformException(
                        ErrorCode.FAILED_PRECONDITION,
                        "sandbox %s is %s; wait until it is RUNNING"
                                .formatted(sandbox.label(), sandbox.state().word()))
                : ended(sandbox);
    }
}
