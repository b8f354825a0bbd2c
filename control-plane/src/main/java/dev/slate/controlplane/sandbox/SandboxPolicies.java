package dev.slate.controlplane.sandbox;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.runtime.SandboxRuntime;
import dev.slate.controlplane.secret.SecretChanged;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import org.jboss.logging.Logger;

/** Changes what live sandboxes may reach and the secrets they may use there. Thread-safe. */
@Singleton
public class SandboxPolicies {
    private static final Logger LOG = Logger.getLogger(SandboxPolicies.class);

    private final SandboxRecords records;
    private final SandboxReconciler reconciler;
    private final SandboxLookup lookup;
    private final SandboxEgress egress;
    private final SandboxRuntime runtime;

    SandboxPolicies(
            SandboxRecords records,
            SandboxReconciler reconciler,
            SandboxLookup lookup,
            SandboxEgress egress,
            SandboxRuntime runtime) {
        this.records = records;
        this.reconciler = reconciler;
        this.lookup = lookup;
        this.egress = egress;
        this.runtime = runtime;
    }

    /** Replaces the policy of a sandbox, and returns when the new one is in force. */
    Sandbox replace(Caller caller, String reference, NetworkPolicy policy) {
        Sandbox sandbox = lookup.find(caller.require(Permission.DEPLOY_CREATE), reference);
        LiveSandbox live = reconciler
                .find(sandbox.id())
                .filter(found -> found.current().state() instanceof SandboxState.Live)
                .filter(found -> !(found.current().state() instanceof SandboxState.Terminating))
                .orElseThrow(() -> SandboxLookup.ended(sandbox));
        live.policy(records.replacePolicy(sandbox.id(), policy).policy());
        enforce(live);
        return live.current();
    }

    /** A secret that was changed or deleted is so in every sandbox that uses it when this returns. */
    void secretChanged(@Observes SecretChanged change) {
        List<String> behind = new ArrayList<>();
        for (LiveSandbox live : reconciler.all()) {
            if (uses(live.current(), change)) {
                try {
                    enforce(live);
                } catch (RuntimeException failure) {
                    if (isConnected(live)) {
                        LOG.warnf(failure, "secret not pushed sandbox=%s secret=%s", live.id(), change.name());
                        behind.add(live.current().label());
                    }
                }
            }
        }
        if (!behind.isEmpty()) {
            throw new PlatformException(
                    ErrorCode.UNAVAILABLE,
                    "secret %s is stored, but these sandboxes may still use its old value: %s (repeat the request)"
                            .formatted(change.name(), String.join(", ", behind)));
        }
    }

    private static boolean uses(Sandbox sandbox, SecretChanged change) {
        return sandbox.environment().equals(change.environment())
                && sandbox.spec().credentials().stream()
                        .anyMatch(binding -> binding.secret().equals(change.name()));
    }

    /** One that is not yet at the proxy gets the newest values when it gets there. */
    private void enforce(LiveSandbox live) {
        if (isConnected(live)) {
            var _ = egress.enforce(live, runtime.connect(live.id()));
        }
    }

    private static boolean isConnected(LiveSandbox live) {
        return live.current().state() instanceof SandboxState.Live state
                && !(state instanceof SandboxState.Pending
                        || state instanceof SandboxState.Building
                        || state instanceof SandboxState.Terminating);
    }
}
