package dev.slate.controlplane.sandbox;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.id.IdSource;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;

/** One process of the control plane in a {@link FakeWorld}. */
final class FakePlatform {
    static final Caller CALLER = new Caller("user-1", "Ada", "Owner", "default", EnumSet.allOf(Permission.class));

    final SandboxReconciler reconciler;
    final SandboxLifecycle lifecycle;
    final SandboxPolicies policies;
    final SandboxLookup lookup;
    final SandboxSweeps sweeps;

    private FakePlatform(FakeWorld world, CrashPoint crash) {
        FakeWorld.Ports ports = world.ports(crash);
        IdSource ids = new IdSource();
        Clock clock = new java.time.Clock() {
            @Override
            public java.time.ZoneId getZone() {
                return java.time.ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(java.time.ZoneId zone) {
                return this;
            }

            @Override
            public java.time.Instant instant() {
                return world.now;
            }
        };
        SandboxEgress egress =
                new SandboxEgress(ports.gate(), (_, name) -> Optional.ofNullable(world.secrets.get(name)), ids);
        SandboxStarter starter =
                new SandboxStarter(ports.records(), ports.runtime(), ports.images(), ports.volumes(), egress, clock);
        reconciler = new SandboxReconciler(ports.records(), ports.runtime(), starter, clock);
        lookup = new SandboxLookup(ports.records(), reconciler);
        SandboxConfig config = new Config();
        lifecycle = new SandboxLifecycle(ports.records(), reconciler, starter, lookup, egress, config, ids, clock);
        policies = new SandboxPolicies(ports.records(), reconciler, lookup, egress, ports.runtime(), clock);
        sweeps = new SandboxSweeps(
                ports.records(),
                reconciler,
                lifecycle,
                policies,
                ports.runtime(),
                ports.gate(),
                ports.volumes(),
                config);
    }

    static FakePlatform in(FakeWorld world) {
        return new FakePlatform(world, CrashPoint.none());
    }

    static FakePlatform in(FakeWorld world, CrashPoint crash) {
        return new FakePlatform(world, crash);
    }

    private static final class Config implements SandboxConfig {
        @Override
        public Duration maxLifetime() {
            return Duration.ofHours(24);
        }

        @Override
        public Duration startLimit() {
            return Duration.ofHours(1);
        }

        @Override
        public Duration terminateLimit() {
            return Duration.ofSeconds(10);
        }

        @Override
        public int maxLive() {
            return 3;
        }

        @Override
        public boolean keepRunning() {
            return false;
        }

        @Override
        public Duration shutdownLimit() {
            return Duration.ofSeconds(10);
        }

        @Override
        public Duration expirySweep() {
            return Duration.ofMillis(500);
        }

        @Override
        public Duration leakSweep() {
            return Duration.ofSeconds(60);
        }
    }
}
