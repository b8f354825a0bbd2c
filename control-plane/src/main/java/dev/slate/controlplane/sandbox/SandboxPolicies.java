package dev.slate.controlplane.sandbox;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.policy.EffectivePolicy;
import dev.slate.controlplane.policy.Grant;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.policy.NetworkPolicyProto;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.controlplane.runtime.SandboxRuntime;
import dev.slate.controlplane.secret.SecretChanged;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/** Changes what live sandboxes may reach and the secrets they may use there. Thread-safe. */
@Singleton
public class SandboxPolicies {
    private static final Logger LOG = Logger.getLogger(SandboxPolicies.class);

    private static final Duration LONGEST_GRANT = Duration.ofHours(24);
    private static final int MOST_GRANTS = 100;

    private final Set<SandboxId> behind = ConcurrentHashMap.newKeySet();
    private final SandboxRecords records;
    private final SandboxReconciler reconciler;
    private final SandboxLookup lookup;
    private final SandboxEgress egress;
    private final SandboxRuntime runtime;
    private final Clock clock;

    SandboxPolicies(
            SandboxRecords records,
            SandboxReconciler reconciler,
            SandboxLookup lookup,
            SandboxEgress egress,
            SandboxRuntime runtime,
            Clock clock) {
        this.records = records;
        this.reconciler = reconciler;
        this.lookup = lookup;
        this.egress = egress;
        this.runtime = runtime;
        this.clock = clock;
    }

    /** Replaces the policy of a sandbox, and returns when the new one is in force. */
    Sandbox replace(Caller caller, String reference, NetworkPolicy policy) {
        Sandbox sandbox = lookup.find(caller.require(Permission.DEPLOY_CREATE), reference);
        LiveSandbox live = live(sandbox);
        NetworkPolicy checked = egress.checked(policy);
        egress.requireSecrets(sandbox.environment(), NetworkPolicyProto.secrets(checked).stream());
        live.policy(records.replacePolicy(sandbox.id(), checked).policy());
        enforce(live);
        return live.current();
    }

    /** Lets a sandbox reach one more destination for some time, and returns when it can. */
    Granted allow(Caller caller, String reference, String destination, Duration duration) {
        if (duration.compareTo(Duration.ofSeconds(1)) < 0 || duration.compareTo(LONGEST_GRANT) > 0) {
            throw PlatformException.invalid("duration", duration, "1s to 24h");
        }
        Sandbox sandbox = lookup.find(caller.require(Permission.DEPLOY_CREATE), reference);
        LiveSandbox live = live(sandbox);
        String entry = EffectivePolicy.destination(egress.checked(EffectivePolicy.only(destination)));
        Sandbox.PolicyInForce now = live.current().policy();
        if (now.asked()
                .filter(policy -> EffectivePolicy.hasRules(policy, entry))
                .isPresent()) {
            throw new PlatformException(
                    ErrorCode.FAILED_PRECONDITION,
                    "host %s has rules in the policy, which a grant would switch off: change the policy"
                            .formatted(entry));
        }
        if (now.grants().size() >= MOST_GRANTS) {
            throw new PlatformException(ErrorCode.RESOURCE_EXHAUSTED, "grants: 100 (expected: fewer; some must end)");
        }
        Grant tried = new Grant(entry, Instant.EPOCH, "");
        var _ = egress.checked(
                new EffectivePolicy(now.asked(), sandbox.spec().credentialHosts(), List.of(tried)).policy());
        String by = "granted by " + caller.displayName();
        Sandbox.PolicyInForce granted =
                records.grant(sandbox.id(), entry, duration, by).policy();
        live.policy(granted);
        enforce(live);
        Grant made = granted.grants().stream()
                .filter(grant -> grant.entry().equals(entry))
                .findFirst()
                .orElseThrow();
        return new Granted(live.current(), made);
    }

    /** A grant that is in force. */
    record Granted(Sandbox sandbox, Grant grant) {}

    /**
     * Takes away what was granted for a time that is over. What the proxy did not take is tried again, and while the
     * database does not answer the clock of this process decides: a grant never outlives its time for want of it.
     *
     * @throws RuntimeException if something is still to be done
     */
    void endGrants() {
        List<RuntimeException> failures = new ArrayList<>();
        try {
            records.endGrants()
                    .forEach(changed -> reconciler.find(changed.id()).ifPresent(live -> over(live, changed.policy())));
        } catch (RuntimeException failure) {
            failures.add(failure);
            reconciler.all().forEach(this::endByOwnClock);
        }
        for (SandboxId id : Set.copyOf(behind)) {
            try {
                reconciler.find(id).ifPresent(this::enforce);
                behind.remove(id);
            } catch (RuntimeException failure) {
                failures.add(failure);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
    }

    private void endByOwnClock(LiveSandbox live) {
        Sandbox.PolicyInForce policy = live.current().policy();
        List<Grant> left = policy.grants().stream()
                .filter(grant -> grant.expiresAt().isAfter(clock.instant()))
                .toList();
        if (left.size() < policy.grants().size()) {
            over(live, new Sandbox.PolicyInForce(policy.asked(), left, policy.generation() + 1));
        }
    }

    private void over(LiveSandbox live, Sandbox.PolicyInForce policy) {
        live.policy(policy);
        behind.add(live.id());
    }

    private LiveSandbox live(Sandbox sandbox) {
        return reconciler
                .find(sandbox.id())
                .filter(found -> found.current().state() instanceof SandboxState.Live)
                .filter(found -> !(found.current().state() instanceof SandboxState.Terminating))
                .orElseThrow(() -> SandboxLookup.ended(sandbox));
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
                && Stream.concat(
                                sandbox.spec().credentials().stream().map(CredentialBinding::secret),
                                NetworkPolicyProto.secrets(
                                        sandbox.effectivePolicy().policy())
                                        .stream())
                        .anyMatch(change.name()::equals);
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
