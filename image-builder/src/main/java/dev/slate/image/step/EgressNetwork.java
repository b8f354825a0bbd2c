package dev.slate.image.step;

import dev.slate.api.egress.v1.EgressControlGrpc;
import dev.slate.api.egress.v1.GetTrustRequest;
import dev.slate.api.egress.v1.GetTrustResponse;
import dev.slate.api.egress.v1.NetworkPolicy;
import dev.slate.api.egress.v1.PutSandboxRequest;
import dev.slate.api.egress.v1.RemoveSandboxRequest;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.GrpcErrors;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.InternalApi;
import dev.slate.image.base.DebianArchive;
import dev.slate.image.config.ImageFolders;
import dev.slate.runsc.BindMount;
import dev.slate.runsc.ContainerNetwork;
import dev.slate.runsc.NetworkSlot;
import dev.slate.runsc.SandboxNetwork;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Connects steps to the egress proxy with the open policy: the public internet, and the package mirror of this
 * install wherever it is. Thread-safe.
 */
@Singleton
class EgressNetwork implements BuildNetwork {
    private static final String CA_PATH = "/run/slate/ca.pem";
    private static final String BUNDLE_PATH = "/run/slate/bundle.pem";
    private static final long LIMIT_SECONDS = 30;

    private final Instance<SandboxNetwork> slots;
    private final EgressControlGrpc.EgressControlBlockingStub egress;
    private final ImageFolders folders;
    private final DebianArchive archive;

    EgressNetwork(
            Instance<SandboxNetwork> slots, @InternalApi Channel channel, ImageFolders folders, DebianArchive archive) {
        this.archive = archive;
        this.slots = slots;
        this.egress = EgressControlGrpc.newBlockingStub(channel);
        this.folders = folders;
    }

    @Override
    public Connection connect(String buildId) {
        if (!slots.isResolvable()) {
            throw new PlatformException(ErrorCode.UNAVAILABLE, "this install has no network for build steps");
        }
        SandboxNetwork network = slots.get();
        NetworkSlot slot = network.acquire();
        try {
            stub().putSandbox(PutSandboxRequest.newBuilder()
                    .setSandboxId(buildId)
                    .setSourceAddress(slot.sandboxAddress().getHostAddress())
                    .setGeneration(1)
                    .setPolicy(NetworkPolicy.newBuilder().setMode(NetworkPolicy.Mode.MODE_OPEN))
                    .addAllPrivateHosts(archive.hosts())
                    .build());
            GetTrustResponse trust = stub().getTrust(GetTrustRequest.getDefaultInstance());
            return new EgressConnection(buildId, network, slot, files(slot, trust), environment(trust));
        } catch (StatusRuntimeException e) {
            remove(buildId, network, slot);
            throw GrpcErrors.fromStatus(e);
        } catch (RuntimeException e) {
            remove(buildId, network, slot);
            throw e;
        }
    }

    private EgressControlGrpc.EgressControlBlockingStub stub() {
        return egress.withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private void remove(String buildId, SandboxNetwork network, NetworkSlot slot) {
        network.release(slot);
        stub().removeSandbox(
                        RemoveSandboxRequest.newBuilder().setSandboxId(buildId).build());
    }

    private InjectedFiles files(NetworkSlot slot, GetTrustResponse trust) {
        Path folder = folders.unfinishedFolder();
        try {
            Path resolver = folder.resolve("resolv.conf");
            Files.writeString(resolver, "nameserver " + slot.hostAddress().getHostAddress() + "\n");
            Path hosts = folder.resolve("hosts");
            Files.writeString(hosts, "127.0.0.1 localhost build\n::1 localhost\n");
            return new InjectedFiles(
                    folder,
                    List.of(
                            BindMount.readOnly(resolver, "/etc/resolv.conf"),
                            BindMount.readOnly(hosts, "/etc/hosts"),
                            BindMount.readOnly(Path.of(trust.getCaPemPath()), CA_PATH),
                            BindMount.readOnly(Path.of(trust.getBundlePemPath()), BUNDLE_PATH)));
        } catch (IOException e) {
            throw new UncheckedIOException("files of a build step", e);
        }
    }

    private static Map<String, String> environment(GetTrustResponse trust) {
        Map<String, String> environment = new LinkedHashMap<>();
        trust.getEnvironmentMap()
                .forEach((name, value) -> environment.put(
                        name,
                        switch (value) {
                            case "ca" -> CA_PATH;
                            case "bundle" -> BUNDLE_PATH;
                            default -> value.startsWith("=") ? value.substring(1) : value;
                        }));
        return environment;
    }

    private record InjectedFiles(Path folder, List<BindMount> mounts) {}

    private final class EgressConnection implements Connection {
        private final String buildId;
        private final SandboxNetwork slotsInUse;
        private final NetworkSlot slot;
        private final InjectedFiles files;
        private final Map<String, String> environment;

        EgressConnection(
                String buildId,
                SandboxNetwork slotsInUse,
                NetworkSlot slot,
                InjectedFiles files,
                Map<String, String> environment) {
            this.buildId = buildId;
            this.slotsInUse = slotsInUse;
            this.slot = slot;
            this.files = files;
            this.environment = environment;
        }

        @Override
        public ContainerNetwork network() {
            return slot.containerNetwork();
        }

        @Override
        public List<BindMount> mounts() {
            return files.mounts();
        }

        @Override
        public Map<String, String> environment() {
            return environment;
        }

        @Override
        public void close() {
            try {
                remove(buildId, slotsInUse, slot);
            } finally {
                folders.discard(files.folder());
            }
        }
    }
}
