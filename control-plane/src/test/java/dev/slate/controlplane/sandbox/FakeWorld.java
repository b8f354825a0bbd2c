package dev.slate.controlplane.sandbox;

import dev.slate.api.image.v1.BuildEvent;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.TimeCursor;
import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.policy.Grant;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.runtime.AgentAddress;
import dev.slate.controlplane.runtime.Resources;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.controlplane.runtime.SandboxRuntime;
import dev.slate.controlplane.runtime.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Everything outside the control plane, in memory. It outlives the processes that use it through {@link #ports}. */
final class FakeWorld {
    static final String DIGEST = "sha256:" + "1".repeat(64);

    final Map<SandboxId, Row> rows = new ConcurrentHashMap<>();
    final Map<SandboxId, Container> containers = new ConcurrentHashMap<>();
    final Set<SandboxId> networks = ConcurrentHashMap.newKeySet();
    final Map<String, String> mounts = new ConcurrentHashMap<>();
    final List<String> commits = new CopyOnWriteArrayList<>();
    volatile boolean databaseDown;
    final Map<String, EgressGate.Entry> proxy = new ConcurrentHashMap<>();
    final Map<String, SecretValue> secrets = new ConcurrentHashMap<>(Map.of("KEY", SecretValue.of("real")));
    volatile Optional<PlatformException> startFailure = Optional.empty();
    volatile CountDownLatch buildGate = new CountDownLatch(0);
    volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

    record Container(CountDownLatch exit, AtomicBoolean outOfMemory) {}

    record Row(Sandbox sandbox, SandboxRecords.CreationRequest request, boolean released) {
        Row with(UnaryOperator<Sandbox> change) {
            return new Row(change.apply(sandbox), request, released);
        }
    }

    /** The world as one process sees it. */
    Ports ports(CrashPoint crash) {
        return new Ports(
                new Records(crash), new Containers(crash), new Images(crash), new Volumes(crash), new Gate(crash));
    }

    record Ports(
            SandboxRecords records, SandboxRuntime runtime, ImageSupply images, VolumeNodes volumes, EgressGate gate) {}

    Row row(SandboxId id) {
        return Objects.requireNonNull(rows.get(id), "row");
    }

    Container container(SandboxId id) {
        return Objects.requireNonNull(containers.get(id), "container");
    }

    EgressGate.Entry entry(SandboxId id) {
        return Objects.requireNonNull(proxy.get(id.value()), "proxy entry");
    }

    boolean isEmpty() {
        return containers.isEmpty() && networks.isEmpty() && mounts.isEmpty() && proxy.isEmpty();
    }

    final class Records implements SandboxRecords {
        private final CrashPoint crash;

        Records(CrashPoint crash) {
            this.crash = crash;
        }

        @Override
        public Sandbox create(Sandbox wanted, CreationRequest request) {
            return crash.call(() -> {
                synchronized (rows) {
                    for (Row row : rows.values()) {
                        if (row.request().requestId().equals(request.requestId())) {
                            if (!row.request().equals(request)) {
                                throw new PlatformException(ErrorCode.IDEMPOTENCY_CONFLICT, "another specification");
                            }
                            return row.sandbox();
                        }
                    }
                    if (wanted.spec().name().isPresent()
                            && findLive(wanted.environment(), wanted.label()).isPresent()) {
                        throw new PlatformException(ErrorCode.ALREADY_EXISTS, wanted.label());
                    }
                    rows.put(wanted.id(), new Row(wanted, request, false));
                    return wanted;
                }
            });
        }

        @Override
        public Optional<Sandbox> find(SandboxId id) {
            return Optional.ofNullable(rows.get(id)).map(Row::sandbox);
        }

        @Override
        public Optional<Sandbox> find(String environment, SandboxId id) {
            return find(id).filter(sandbox -> sandbox.environment().equals(environment));
        }

        @Override
        public Optional<Sandbox> findLive(String environment, String name) {
            return findLatest(environment, name).filter(sandbox -> !(sandbox.state() instanceof SandboxState.Ended));
        }

        @Override
        public Optional<Sandbox> findLatest(String environment, String name) {
            return rows.values().stream()
                    .map(Row::sandbox)
                    .filter(sandbox -> sandbox.environment().equals(environment)
                            && sandbox.spec().name().isPresent()
                            && sandbox.label().equals(name))
                    .reduce((one, other) -> one.state() instanceof SandboxState.Ended ? other : one);
        }

        @Override
        public List<Sandbox> list(String environment, boolean ended, TimeCursor after, int limit) {
            return rows.values().stream().map(Row::sandbox).limit(limit).toList();
        }

        @Override
        public List<Sandbox> unreleased() {
            return crash.call(() -> rows.values().stream()
                    .filter(row -> !row.released())
                    .map(Row::sandbox)
                    .toList());
        }

        @Override
        public Sandbox requestEnd(SandboxId id, End end) {
            return crash.call(() -> change(
                    id,
                    sandbox -> sandbox.state() instanceof SandboxState.Live live
                            ? sandbox.in(live.ending(end))
                            : sandbox));
        }

        @Override
        public List<Sandbox> endExpired() {
            List<Sandbox> ended = new ArrayList<>();
            rows.forEach((id, row) -> {
                boolean late = !row.sandbox().times().expiresAt().isAfter(now);
                if (late && row.sandbox().state() instanceof SandboxState.Live) {
                    ended.add(requestEnd(id, new End(Cause.LIFETIME, "lifetime over")));
                }
            });
            return ended;
        }

        @Override
        public Sandbox replacePolicy(SandboxId id, NetworkPolicy policy) {
            return crash.call(() -> change(
                    id,
                    sandbox -> sandbox.with(new Sandbox.PolicyInForce(
                            Optional.of(policy), List.of(), sandbox.policy().generation() + 1))));
        }

        @Override
        public Sandbox grant(SandboxId id, String entry, Duration duration, String by) {
            return crash.call(() -> changeGrants(
                    id,
                    grants -> Stream.concat(
                                    grants.stream()
                                            .filter(grant -> !grant.entry().equals(entry)),
                                    Stream.of(new Grant(entry, now.plus(duration), by)))
                            .toList()));
        }

        @Override
        public List<Sandbox> endGrants() {
            if (databaseDown) {
                throw new PlatformException(ErrorCode.UNAVAILABLE, "database");
            }
            return rows.values().stream()
                    .map(Row::sandbox)
                    .filter(sandbox -> sandbox.policy().grants().stream()
                            .anyMatch(grant -> !grant.expiresAt().isAfter(now)))
                    .map(sandbox -> changeGrants(
                            sandbox.id(),
                            grants -> grants.stream()
                                    .filter(grant -> grant.expiresAt().isAfter(now))
                                    .toList()))
                    .toList();
        }

        private Sandbox changeGrants(SandboxId id, UnaryOperator<List<Grant>> change) {
            return change(
                    id,
                    sandbox -> sandbox.with(new Sandbox.PolicyInForce(
                            sandbox.policy().asked(),
                            change.apply(sandbox.policy().grants()),
                            sandbox.policy().generation() + 1)));
        }

        @Override
        public void building(SandboxId id) {
            crash.run(() -> change(id, sandbox -> sandbox.in(new SandboxState.Building())));
        }

        @Override
        public void running(SandboxId id, SandboxState.Running running, Instant expiresAt) {
            crash.run(() -> change(
                    id,
                    sandbox -> sandbox.state() instanceof SandboxState.Terminating ? sandbox : sandbox.in(running)));
        }

        @Override
        public void ended(SandboxId id, SandboxState.Ended ended, List<MountResult> results) {
            crash.run(() -> change(id, sandbox -> sandbox.with(results).in(ended)));
        }

        @Override
        public void released(SandboxId id) {
            crash.run(() -> rows.computeIfPresent(id, (_, row) -> new Row(row.sandbox(), row.request(), true)));
        }

        private Sandbox change(SandboxId id, UnaryOperator<Sandbox> change) {
            Row changed = rows.computeIfPresent(id, (_, row) -> row.with(change));
            return Objects.requireNonNull(changed).sandbox();
        }
    }

    final class Containers implements SandboxRuntime {
        private final CrashPoint crash;

        Containers(CrashPoint crash) {
            this.crash = crash;
        }

        @Override
        public void check(Resources resources) {
            if (resources.cpuMillis() > 64_000) {
                throw new PlatformException(ErrorCode.UNSUPPORTED, "cpu");
            }
        }

        @Override
        public SandboxNetwork connect(SandboxId id) {
            return crash.call(() -> {
                networks.add(id);
                return new SandboxNetwork("10.0.0.2", "10.0.0.1");
            });
        }

        @Override
        public AgentAddress start(Workload workload) {
            return crash.call(() -> {
                startFailure.ifPresent(failure -> {
                    throw failure;
                });
                containers.put(workload.id(), new Container(new CountDownLatch(1), new AtomicBoolean()));
                return address();
            });
        }

        @Override
        public Optional<AgentAddress> find(SandboxId id) {
            return crash.call(() -> Optional.ofNullable(containers.get(id)).map(_ -> address()));
        }

        @Override
        public Exit awaitExit(SandboxId id) throws InterruptedException {
            Container container = containers.get(id);
            if (container == null) {
                return Exit.GONE;
            }
            container.exit().await();
            return container.outOfMemory().get() ? Exit.OUT_OF_MEMORY : Exit.GONE;
        }

        @Override
        public void kill(SandboxId id) {
            crash.run(() -> {
                Container gone = containers.remove(id);
                if (gone != null) {
                    gone.exit().countDown();
                }
            });
        }

        @Override
        public void remove(SandboxId id) {
            crash.run(() -> networks.remove(id));
        }

        @Override
        public Set<SandboxId> list() {
            return Set.copyOf(containers.keySet());
        }

        @Override
        public Usage usage(SandboxId id) {
            return new Usage(0, 0, 0);
        }

        private static AgentAddress address() {
            return new AgentAddress("10.0.0.2", 1, SecretValue.of("token"));
        }
    }

    final class Images implements ImageSupply {
        private final CrashPoint crash;

        Images(CrashPoint crash) {
            this.crash = crash;
        }

        @Override
        public String resolve(String environment, ImageSource image, Consumer<BuildEvent> progress) {
            return crash.call(() -> {
                if (buildGate.getCount() > 0) {
                    progress.accept(BuildEvent.getDefaultInstance());
                }
                try {
                    buildGate.await();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw new PlatformException(ErrorCode.CANCELLED, "interrupted", interrupted);
                }
                return DIGEST;
            });
        }

        @Override
        public PreparedImage prepare(String digest) {
            return crash.call(() ->
                    new PreparedImage(new Workload.ImageLayers(digest, List.of()), Map.of("PATH", "/bin"), "", ""));
        }
    }

    final class Volumes implements VolumeNodes {
        private final CrashPoint crash;

        Volumes(CrashPoint crash) {
            this.crash = crash;
        }

        @Override
        public Path mount(Sandbox sandbox, VolumeMount volume) {
            return crash.call(() -> {
                mounts.put(
                        VolumeNodes.mountId(sandbox.id(), volume), sandbox.id().value());
                return Path.of("/mnt");
            });
        }

        @Override
        public Optional<MountResult> seal(SandboxId sandbox, VolumeMount volume) {
            return crash.call(() -> {
                String id = VolumeNodes.mountId(sandbox, volume);
                // As in the volume store, a seal is one step for all that ask for it.
                synchronized (commits) {
                    if (mounts.remove(id) != null) {
                        commits.add(id);
                    }
                    return commits.contains(id)
                            ? Optional.of(
                                    new MountResult(volume.path(), volume.volume(), 2, "committed", List.of(), ""))
                            : Optional.empty();
                }
            });
        }

        @Override
        public List<Mounted> mounted() {
            return mounts.entrySet().stream()
                    .map(entry -> new Mounted(entry.getKey(), entry.getValue()))
                    .toList();
        }

        @Override
        public void salvage(Mounted mount) {
            mounts.remove(mount.mountId());
            commits.add(mount.mountId());
        }
    }

    final class Gate implements EgressGate {
        private final CrashPoint crash;

        Gate(CrashPoint crash) {
            this.crash = crash;
        }

        @Override
        public void put(Entry entry) {
            crash.run(() -> proxy.put(entry.id().value(), entry));
        }

        @Override
        public Checked check(NetworkPolicy policy, List<String> credentialHosts) {
            return new Checked(policy, credentialHosts);
        }

        @Override
        public void remove(SandboxId id) {
            crash.run(() -> proxy.remove(id.value()));
        }

        @Override
        public Set<String> list() {
            return Set.copyOf(proxy.keySet());
        }

        @Override
        public Trust trust() {
            return new Trust(Map.of(), Map.of("PATH", "/ours", "SSL_CERT_FILE", "/.slate/ca-bundle.pem"));
        }
    }
}
