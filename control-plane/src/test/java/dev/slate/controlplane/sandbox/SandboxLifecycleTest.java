package dev.slate.controlplane.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.policy.NetworkPolicyProto;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.controlplane.sandbox.SandboxRecords.CreationRequest;
import dev.slate.controlplane.secret.SecretChanged;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SandboxLifecycleTest {
    private final FakeWorld world = new FakeWorld();
    private final FakePlatform platform = FakePlatform.in(world);

    @Test
    void runsWithMountPolicyAndPlaceholderAndLeavesNothing() {
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());

        EgressGate.Entry entry = world.entry(created.id());
        assertThat(entry.credentials())
                .singleElement()
                .satisfies(credential -> assertThat(credential.placeholder()).matches("__slate-secret-[0-9a-f]{32}"));
        assertThat(platform.lookup
                        .running(FakePlatform.CALLER, "agent")
                        .commands()
                        .environment(java.util.Map.of()))
                .containsEntry("PATH", "/bin")
                .containsEntry("KEY_VALUE", "real")
                .containsEntry("KEY", created.placeholders().get("KEY"));
        Sandbox ended = platform.lifecycle.terminate(FakePlatform.CALLER, "agent");

        assertThat(ended.state().word()).isEqualTo("TERMINATED");
        assertThat(ended.mountResults())
                .singleElement()
                .satisfies(result -> assertThat(result.outcome()).isEqualTo("committed"));
        await().until(world::isEmpty);
    }

    @Test
    void givesTheSameSandboxForTheSameRequestAndRefusesAnotherBody() {
        Sandbox first = create(platform, "agent", "r1");

        assertThat(create(platform, "agent", "r1").id()).isEqualTo(first.id());
        assertThatThrownBy(() -> platform.lifecycle.create(
                        FakePlatform.CALLER, spec("agent"), new CreationRequest("r1", "other")))
                .isInstanceOfSatisfying(
                        PlatformException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT));
    }

    @Test
    void freesTheNameWhenTerminateReturns() {
        var _ = create(platform, "agent", "r1");
        assertThatThrownBy(() -> create(platform, "agent", "r2"))
                .isInstanceOfSatisfying(
                        PlatformException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.ALREADY_EXISTS));

        var _ = platform.lifecycle.terminate(FakePlatform.CALLER, "agent");

        assertThat(create(platform, "agent", "r3").state()).isInstanceOf(SandboxState.Live.class);
    }

    @Test
    void terminatesTwice() {
        Sandbox created = create(platform, "agent", "r1");
        Sandbox once =
                platform.lifecycle.terminate(FakePlatform.CALLER, created.id().value());

        Sandbox twice =
                platform.lifecycle.terminate(FakePlatform.CALLER, created.id().value());

        assertThat(twice.state()).isEqualTo(once.state());
        assertThat(platform.lifecycle.terminate(FakePlatform.CALLER, "agent").state())
                .isEqualTo(once.state());
    }

    @Test
    void terminatesInTheMiddleOfABuild() {
        world.buildGate = new CountDownLatch(1);
        Sandbox created = create(platform, "agent", "r1");
        await().until(() -> current(platform, created.id()).state() instanceof SandboxState.Building);

        Sandbox ended = platform.lifecycle.terminate(FakePlatform.CALLER, "agent");

        assertThat(ended.state()).isInstanceOf(SandboxState.Terminated.class);
        await().until(world::isEmpty);
    }

    @Test
    void keepsTheReasonAndFreesEverythingWhenTheStartFails() {
        world.startFailure = Optional.of(new PlatformException(ErrorCode.UNAVAILABLE, "runsc: no"));

        for (int i = 0; i < 5; i++) {
            Sandbox created = create(platform, "agent", "r" + i);
            await().until(() -> world.row(created.id()).released());
            assertThat(world.row(created.id()).sandbox().state())
                    .isInstanceOfSatisfying(
                            SandboxState.Failed.class,
                            failed -> assertThat(failed.end()).isEqualTo(new End(Cause.RUNTIME, "runsc: no")));
        }

        assertThat(world.isEmpty()).isTrue();
        assertThat(platform.reconciler.count()).isZero();
    }

    @Test
    void endsWithACauseWhenMemoryRunsOut() {
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());
        world.container(created.id()).outOfMemory().set(true);

        world.container(created.id()).exit().countDown();

        await().until(() -> world.row(created.id()).sandbox().state() instanceof SandboxState.Failed failed
                && failed.end().cause() == Cause.OOM);
    }

    @Test
    void endsWhatIsPastItsStoredTime() {
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());
        await().until(() -> world.row(created.id()).sandbox().state() instanceof SandboxState.Running);
        platform.sweeps.endExpired();
        assertThat(current(platform, created.id()).state()).isInstanceOf(SandboxState.Running.class);

        world.now = world.now.plus(Duration.ofHours(1));
        platform.sweeps.endExpired();

        await().until(() -> world.row(created.id()).sandbox().state() instanceof SandboxState.Terminated ended
                && ended.end().cause() == Cause.LIFETIME);
    }

    @Test
    void putsANewPolicyInForceBeforeItReplies() {
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());

        Sandbox changed = platform.policies.replace(FakePlatform.CALLER, "agent", allowing());

        assertThat(changed.policy().generation()).isEqualTo(2);
        assertThat(world.entry(created.id()).policy()).isEqualTo(allowing("api.example.com"));
    }

    @Test
    void takesAGrantAwayWhenItsTimeIsOverAndNotBefore() {
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());
        var _ = platform.policies.replace(FakePlatform.CALLER, "agent", allowing("pypi.example"));

        SandboxPolicies.Granted granted =
                platform.policies.allow(FakePlatform.CALLER, "agent", "other.example", Duration.ofMinutes(5));

        assertThat(granted.grant().expiresAt()).isEqualTo(world.now.plus(Duration.ofMinutes(5)));
        assertThat(granted.sandbox().policy().generation()).isEqualTo(3);
        NetworkPolicy meanwhile = allowing("api.example.com", "other.example", "pypi.example");
        assertThat(world.entry(created.id()).policy()).isEqualTo(meanwhile);
        platform.policies.endGrants();
        assertThat(world.entry(created.id()).policy()).isEqualTo(meanwhile);

        world.now = world.now.plus(Duration.ofMinutes(5));
        platform.policies.endGrants();

        assertThat(world.entry(created.id()).policy()).isEqualTo(allowing("api.example.com", "pypi.example"));
        assertThat(world.entry(created.id()).generation()).isEqualTo(4);
    }

    @Test
    void endsAGrantAfterACrashOfThePlatform() {
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());
        var _ = platform.policies.replace(FakePlatform.CALLER, "agent", allowing());
        var _ = platform.policies.allow(FakePlatform.CALLER, "agent", "other.example", Duration.ofMinutes(5));

        FakePlatform next = FakePlatform.in(world);
        next.sweeps.adopt();
        awaitRunning(next, created.id());
        assertThat(current(next, created.id()).policy().grants()).hasSize(1);
        world.now = world.now.plus(Duration.ofMinutes(6));
        next.policies.endGrants();

        assertThat(world.entry(created.id()).policy()).isEqualTo(allowing("api.example.com"));
    }

    @Test
    void endsAGrantAlsoWhileTheDatabaseDoesNotAnswer() {
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());
        var _ = platform.policies.replace(FakePlatform.CALLER, "agent", allowing());
        var _ = platform.policies.allow(FakePlatform.CALLER, "agent", "other.example", Duration.ofMinutes(5));
        world.databaseDown = true;
        world.now = world.now.plus(Duration.ofMinutes(6));

        assertThatThrownBy(platform.policies::endGrants).hasMessageContaining("database");

        assertThat(world.entry(created.id()).policy()).isEqualTo(allowing("api.example.com"));
        world.databaseDown = false;
        platform.policies.endGrants();
        assertThat(world.row(created.id()).sandbox().policy().grants()).isEmpty();
        assertThat(world.entry(created.id()).policy()).isEqualTo(allowing("api.example.com"));
    }

    @Test
    void refusesGrantsWithoutEndAndThoseThatSwitchRulesOff() {
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());
        var ruled = dev.slate.api.egress.v1.NetworkPolicy.newBuilder()
                .setMode(dev.slate.api.egress.v1.NetworkPolicy.Mode.MODE_ALLOWLIST);
        ruled.addHostRulesBuilder().setHost("git.example").setInspect(true);
        var _ = platform.policies.replace(FakePlatform.CALLER, "agent", NetworkPolicyProto.parse(ruled.build()));

        assertThatThrownBy(
                        () -> platform.policies.allow(FakePlatform.CALLER, "agent", "a.example", Duration.ofHours(25)))
                .hasMessageContaining("1s to 24h");
        assertThatThrownBy(() ->
                        platform.policies.allow(FakePlatform.CALLER, "agent", "git.example", Duration.ofMinutes(1)))
                .hasMessageContaining("has rules");
    }

    @Test
    void givesAHeaderThatThePolicySetsASecretThatNoSandboxHolds() {
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());
        var message = dev.slate.api.egress.v1.NetworkPolicy.newBuilder()
                .setMode(dev.slate.api.egress.v1.NetworkPolicy.Mode.MODE_ALLOWLIST);
        message.addHostRulesBuilder()
                .setHost("git.example:443")
                .addRulesBuilder()
                .addSetHeadersBuilder()
                .setName("Authorization")
                .setValue("Bearer {secret}")
                .setSecret("KEY");

        var _ = platform.policies.replace(FakePlatform.CALLER, "agent", NetworkPolicyProto.parse(message.build()));

        EgressGate.Entry entry = world.entry(created.id());
        var header = NetworkPolicyProto.render(entry.policy())
                .getHostRules(0)
                .getRules(0)
                .getSetHeaders(0);
        assertThat(header.getSecret()).isEmpty();
        assertThat(entry.credentials())
                .filteredOn(credential -> credential.hosts().equals(List.of("git.example")))
                .singleElement()
                .satisfies(credential -> {
                    assertThat(header.getValue()).isEqualTo("Bearer " + credential.placeholder());
                    assertThat(credential.value()).contains(SecretValue.of("real"));
                    assertThat(created.placeholders()).doesNotContainValue(credential.placeholder());
                });
        assertThatThrownBy(() -> platform.policies.replace(
                        FakePlatform.CALLER,
                        "agent",
                        NetworkPolicyProto.parse(rename(message, "MISSING").build())))
                .hasMessageContaining("MISSING");
    }

    private static dev.slate.api.egress.v1.NetworkPolicy.Builder rename(
            dev.slate.api.egress.v1.NetworkPolicy.Builder policy, String secret) {
        var copy = policy.clone();
        copy.getHostRulesBuilder(0).getRulesBuilder(0).getSetHeadersBuilder(0).setSecret(secret);
        return copy;
    }

    private static NetworkPolicy allowing(String... hosts) {
        return NetworkPolicyProto.parse(dev.slate.api.egress.v1.NetworkPolicy.newBuilder()
                .setMode(dev.slate.api.egress.v1.NetworkPolicy.Mode.MODE_ALLOWLIST)
                .addAllAllowedHosts(List.of(hosts))
                .build());
    }

    @Test
    void pushesAChangedSecretToTheSandboxesThatUseIt() {
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());

        world.secrets.put("KEY", SecretValue.of("rotated"));
        platform.policies.secretChanged(new SecretChanged("other", "KEY"));
        platform.policies.secretChanged(new SecretChanged("default", "UNUSED"));
        assertThat(valueAtTheProxy(created)).contains(SecretValue.of("real"));
        platform.policies.secretChanged(new SecretChanged("default", "KEY"));
        assertThat(valueAtTheProxy(created)).contains(SecretValue.of("rotated"));

        world.secrets.remove("KEY");
        platform.policies.secretChanged(new SecretChanged("default", "KEY"));
        assertThat(valueAtTheProxy(created)).isEmpty();
    }

    private Optional<SecretValue> valueAtTheProxy(Sandbox sandbox) {
        return world.entry(sandbox.id()).credentials().getFirst().value();
    }

    @Test
    void hidesForeignSandboxes() {
        Sandbox created = create(platform, "agent", "r1");
        var stranger =
                new dev.slate.common.auth.Caller("user-2", "Eve", "Owner", "other", FakePlatform.CALLER.permissions());

        assertThatThrownBy(() -> platform.lifecycle.get(stranger, created.id().value()))
                .hasMessage("sandbox not found: " + created.id());
        assertThatThrownBy(() -> platform.lifecycle.get(stranger, "agent")).hasMessage("sandbox not found: agent");
    }

    @Test
    void refusesASecretThatDoesNotExist() {
        world.secrets.clear();

        assertThatThrownBy(() -> create(platform, "agent", "r1")).hasMessageContaining("secret: KEY");
        assertThat(world.rows).isEmpty();
    }

    @Test
    void removesWhatBelongsToNoSandbox() {
        SandboxId stray = new SandboxId("00000000-0000-0000-0000-000000000001");
        world.containers.put(stray, new FakeWorld.Container(new CountDownLatch(1), new AtomicBoolean()));
        world.networks.add(stray);
        world.mounts.put("mount", stray.value());
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());

        platform.sweeps.removeLeaks();

        assertThat(world.containers).containsOnlyKeys(created.id());
        assertThat(world.mounts).containsValue(created.id().value()).hasSize(1);
    }

    @Test
    void takesUpRunningSandboxesAndEndsLostOnesAfterARestart() {
        Sandbox kept = create(platform, "kept", "r1");
        Sandbox lost = create(platform, "lost", "r2");
        awaitRunning(platform, kept.id());
        awaitRunning(platform, lost.id());
        await().until(() -> world.row(kept.id()).sandbox().state() instanceof SandboxState.Running
                && world.row(lost.id()).sandbox().state() instanceof SandboxState.Running);
        FakeWorld after = afterReboot(lost.id());
        FakePlatform restarted = FakePlatform.in(after);

        restarted.sweeps.adopt();

        await().until(() -> after.row(lost.id()).sandbox().state() instanceof SandboxState.Failed failed
                && failed.end().cause() == Cause.NODE_LOST);
        await().until(() -> after.proxy.containsKey(kept.id().value()));
        assertThat(restarted.lookup.running(FakePlatform.CALLER, "kept").id()).isEqualTo(kept.id());
        assertThat(after.row(lost.id()).sandbox().mountResults()).hasSize(1);
    }

    @Test
    void endsEverythingWhenThePlatformStops() {
        Sandbox created = create(platform, "agent", "r1");
        awaitRunning(platform, created.id());

        platform.sweeps.stopping(new io.quarkus.runtime.ShutdownEvent());

        assertThat(world.isEmpty()).isTrue();
        assertThat(world.row(created.id()).released()).isTrue();
        assertThatThrownBy(() -> create(platform, "other", "r2")).hasMessageContaining("shut down");
    }

    /** A crash of the process at any line of the start, then a restart: it runs, once, and leaves nothing at its end. */
    @Test
    void runsAfterACrashAtAnyStepOfTheStart() {
        int steps = 0;
        boolean crashed = true;
        while (crashed) {
            FakeWorld own = new FakeWorld();
            CrashPoint crash = CrashPoint.at(steps++);
            FakePlatform first = FakePlatform.in(own, crash);
            try {
                var _ = create(first, "agent", "r1");
                await().pollInterval(Duration.ofMillis(1)).until(() -> crash.hasCrashed() || isRecordedRunning(own));
            } catch (CrashPoint.Crash _) {
                // The client gets no answer and asks again below.
            }
            crashed = crash.hasCrashed();

            FakePlatform second = FakePlatform.in(own);
            second.sweeps.adopt();
            Sandbox again = create(second, "agent", "r1");
            awaitRunning(second, again.id());

            assertThat(own.rows).hasSize(1);
            assertThat(own.containers).containsOnlyKeys(again.id());
            assertThat(own.mounts).hasSize(1);
            assertThat(own.proxy).containsOnlyKeys(again.id().value());
            var _ = second.lifecycle.terminate(FakePlatform.CALLER, "agent");
            await().until(() -> own.isEmpty() && own.row(again.id()).released());
        }
        assertThat(steps).isGreaterThan(10);
    }

    /** A crash at any line of the end, then a restart: the end is completed and the volume committed exactly once. */
    @Test
    void endsAfterACrashAtAnyStepOfTheEnd() {
        int steps = 0;
        boolean crashed = true;
        while (crashed) {
            FakeWorld own = new FakeWorld();
            FakePlatform starting = FakePlatform.in(own);
            Sandbox created = create(starting, "agent", "r1");
            await().until(() -> isRecordedRunning(own));
            CrashPoint crash = CrashPoint.at(steps++);
            FakePlatform first = FakePlatform.in(own, crash);
            try {
                first.sweeps.adopt();
                await().pollInterval(Duration.ofMillis(1))
                        .until(() -> crash.hasCrashed() || first.lookup.running(FakePlatform.CALLER, "agent") != null);
                if (!crash.hasCrashed()) {
                    first.reconciler.end(first.reconciler.find(created.id()).orElseThrow(), new End(Cause.USER, ""));
                    await().pollInterval(Duration.ofMillis(1))
                            .until(() ->
                                    crash.hasCrashed() || own.row(created.id()).released());
                }
            } catch (CrashPoint.Crash _) {
                // The process is gone.
            }
            crashed = crash.hasCrashed();

            FakePlatform second = FakePlatform.in(own);
            second.sweeps.adopt();
            if (!(own.row(created.id()).sandbox().state() instanceof SandboxState.Ended)) {
                var _ = second.lifecycle.terminate(FakePlatform.CALLER, "agent");
            }

            await().until(() -> own.isEmpty() && own.row(created.id()).released());
            assertThat(own.commits).hasSize(1);
            assertThat(own.row(created.id()).sandbox().mountResults()).hasSize(1);
        }
        assertThat(steps).isGreaterThan(10);
    }

    /** A crash surfaces in threads of the process that is gone; that is no failure of the test. */
    private static ConditionFactory await() {
        return Awaitility.await().dontCatchUncaughtExceptions().atMost(Duration.ofSeconds(60));
    }

    private FakeWorld afterReboot(SandboxId lost) {
        FakeWorld after = new FakeWorld();
        after.rows.putAll(world.rows);
        after.containers.putAll(world.containers);
        after.containers.remove(lost);
        after.networks.addAll(world.networks);
        after.mounts.putAll(world.mounts);
        return after;
    }

    private static boolean isRecordedRunning(FakeWorld world) {
        return world.rows.values().stream().anyMatch(row -> row.sandbox().state() instanceof SandboxState.Running);
    }

    private static Sandbox current(FakePlatform platform, SandboxId id) {
        return platform.reconciler.find(id).orElseThrow().current();
    }

    private static void awaitRunning(FakePlatform platform, SandboxId id) {
        await().pollInterval(Duration.ofMillis(2))
                .until(() -> platform.reconciler
                        .find(id)
                        .filter(live -> live.current().state() instanceof SandboxState.Running)
                        .filter(live -> live.commands().isPresent())
                        .isPresent());
    }

    private static Sandbox create(FakePlatform platform, String name, String requestId) {
        return platform.lifecycle.create(FakePlatform.CALLER, spec(name), new CreationRequest(requestId, "digest"));
    }

    private static SandboxSpec spec(String name) {
        var message = dev.slate.api.sandbox.v1.SandboxSpec.newBuilder()
                .setName(name)
                .putSecretEnv("KEY_VALUE", "KEY")
                .setImageDigest(FakeWorld.DIGEST);
        message.addVolumesBuilder().setVolume("data").setPath("/data");
        message.addCredentialsBuilder().addHosts("api.example.com").setSecret("KEY");
        return SandboxProto.parse(message.build());
    }
}
