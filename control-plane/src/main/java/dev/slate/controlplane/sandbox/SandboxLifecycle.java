package dev.slate.controlplane.sandbox;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.id.IdSource;
import dev.slate.controlplane.runtime.SandboxId;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Creates, shows and ends sandboxes for callers. Writes the wish first; the reconciler makes it true. Thread-safe. */
@Singleton
public class SandboxLifecycle {
    private static final int LONGEST_REQUEST_ID = 128;

    private final SandboxRecords records;
    private final SandboxReconciler reconciler;
    private final SandboxStarter starter;
    private final SandboxLookup lookup;
    private final SandboxEgress egress;
    private final SandboxConfig config;
    private final IdSource ids;
    private final Clock clock;
    private volatile boolean closed;

    SandboxLifecycle(
            SandboxRecords records,
            SandboxReconciler reconciler,
            SandboxStarter starter,
            SandboxLookup lookup,
            SandboxEgress egress,
            SandboxConfig config,
            IdSource ids,
            Clock clock) {
        this.records = records;
        this.reconciler = reconciler;
        this.starter = starter;
        this.lookup = lookup;
        this.egress = egress;
        this.config = config;
        this.ids = ids;
        this.clock = clock;
    }

    /** Writes down that a sandbox should run; the same request gives the same sandbox. */
    Sandbox create(Caller caller, SandboxSpec asked, SandboxRecords.CreationRequest request) {
        caller.require(Permission.DEPLOY_CREATE);
        SandboxSpec spec = egress.checked(asked);
        if (!spec.variables().secrets().isEmpty()) {
            // Whoever runs commands there can read them; a credential needs no such right.
            caller.require(Permission.SECRETS_DECRYPT);
        }
        requireRoom(spec, request);
        starter.check(caller.environment(), spec);
        Instant now = clock.instant();
        Sandbox wanted = new Sandbox(
                new SandboxId(ids.uuid()),
                caller.environment(),
                spec,
                new SandboxState.Pending(),
                new Sandbox.Times(
                        now,
                        Optional.empty(),
                        Optional.empty(),
                        now.plus(config.startLimit()).plus(spec.lifetime())),
                new Sandbox.PolicyInForce(spec.policy(), List.of(), 1),
                egress.placeholders(spec),
                Optional.empty(),
                List.of());
        Sandbox created = records.create(wanted, request);
        return created.state() instanceof SandboxState.Ended
                ? created
                : reconciler.take(created).current();
    }

    /** A sandbox by id, or by the name of a live one. */
    Sandbox get(Caller caller, String reference) {
        return lookup.find(caller.require(Permission.DEPLOY_READ), reference);
    }

    /** Ends a sandbox, and returns when its volumes are committed and its name is free. Repeatable. */
    Sandbox terminate(Caller caller, String reference) {
        Sandbox sandbox = lookup.findAny(caller.require(Permission.DEPLOY_CREATE), reference);
        if (sandbox.state() instanceof SandboxState.Ended) {
            return sandbox;
        }
        End end = new End(Cause.USER, "terminated by " + caller.displayName());
        Sandbox recorded = records.requestEnd(sandbox.id(), end);
        LiveSandbox live = reconciler.take(recorded);
        reconciler.apply(recorded);
        try {
            if (!live.await(LiveSandbox::hasEnded, config.terminateLimit())) {
                throw new PlatformException(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "sandbox %s is still being taken down; its volumes are being committed"
                                .formatted(sandbox.label()));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PlatformException(ErrorCode.CANCELLED, "interrupted while a sandbox ended", interrupted);
        }
        return live.current();
    }

    /** Refuses new sandboxes from now on. */
    void close() {
        closed = true;
    }

    private void requireRoom(SandboxSpec spec, SandboxRecords.CreationRequest request) {
        if (closed) {
            throw new PlatformException(ErrorCode.UNAVAILABLE, "the platform is being shut down");
        }
        String id = request.requestId();
        if (id.isBlank() || id.length() > LONGEST_REQUEST_ID) {
            throw PlatformException.invalid("request id", id, "1 to 128 characters that are new for each sandbox");
        }
        if (spec.lifetime().compareTo(config.maxLifetime()) > 0) {
            throw PlatformException.invalid("lifetime", spec.lifetime(), "1s to " + config.maxLifetime());
        }
        if (reconciler.count() >= config.maxLive()) {
            throw new PlatformException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "live sandboxes: %d (expected: below %d on this machine)"
                            .formatted(reconciler.count(), config.maxLive()));
        }
    }
}
