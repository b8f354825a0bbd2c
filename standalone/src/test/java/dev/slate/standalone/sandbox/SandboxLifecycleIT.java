package dev.slate.standalone.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.util.Durations;
import dev.slate.api.exec.v1.ExecEvent;
import dev.slate.api.exec.v1.ExecsGrpc;
import dev.slate.api.exec.v1.StartExecRequest;
import dev.slate.api.sandbox.v1.Cause;
import dev.slate.api.sandbox.v1.CreateSandboxRequest;
import dev.slate.api.sandbox.v1.GetSandboxRequest;
import dev.slate.api.sandbox.v1.ListEgressRequest;
import dev.slate.api.sandbox.v1.Sandbox;
import dev.slate.api.sandbox.v1.SandboxSpec;
import dev.slate.api.sandbox.v1.SandboxesGrpc;
import dev.slate.api.sandbox.v1.State;
import dev.slate.api.sandbox.v1.TerminateSandboxRequest;
import dev.slate.api.sandbox.v1.WatchSandboxRequest;
import dev.slate.api.sandbox.v1.WatchSandboxResponse;
import dev.slate.common.config.HomeConfig;
import dev.slate.standalone.PlatformResource;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sandboxes from create to terminate with real gVisor, as a client sees them. */
@QuarkusTest
@QuarkusTestResource(PlatformResource.class)
@Timeout(300)
class SandboxLifecycleIT {
    @Inject
    HomeConfig home;

    private ShellRegistry registry;
    private URI platform;
    private String token;
    private ManagedChannel channel;
    private SandboxesGrpc.SandboxesBlockingStub sandboxes;
    private ExecsGrpc.ExecsBlockingStub execs;

    @BeforeEach
    void setUp() throws Exception {
        registry = ShellRegistry.start();
        platform = ConfigProvider.getConfig().getValue("test.url", URI.class);
        token = "Bearer " + Files.readString(home.home().resolve("owner-token")).strip();
        channel = ManagedChannelBuilder.forAddress("127.0.0.1", platform.getPort())
                .usePlaintext()
                .build();
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), token);
        var authorization = MetadataUtils.newAttachHeadersInterceptor(headers);
        sandboxes = SandboxesGrpc.newBlockingStub(channel).withInterceptors(authorization);
        execs = ExecsGrpc.newBlockingStub(channel).withInterceptors(authorization);
    }

    @AfterEach
    void tearDown() {
        channel.shutdownNow();
        registry.close();
    }

    @Test
    void runsCommandsUnderGvisorAndFreesItsNameAtTheEnd() throws Exception {
        Sandbox running = run(spec("shell").putEnv("FROM_SPEC", "yes"));

        assertThat(running.getExpiresAt().getSeconds() - running.getStartedAt().getSeconds())
                .isEqualTo(3600);
        assertThat(exec("shell", "echo $FROM_IMAGE $FROM_SPEC $0; cat /proc/version /etc/hostname"))
                .startsWith("yes yes sh\n")
                .endsWith("\nshell\n")
                .doesNotContain(Files.readString(Path.of("/proc/version")));
        assertThat(put("shell", "/srv/greeting", "hello")).isEqualTo(204);
        assertThat(get("shell", "/srv/greeting")).isEqualTo("hello");
        Sandbox ended = terminate("shell");

        assertThat(ended.getState()).isEqualTo(State.STATE_TERMINATED);
        assertThat(ended.getCause()).isEqualTo(Cause.CAUSE_USER);
        assertThat(terminate(running.getId()).getState()).isEqualTo(State.STATE_TERMINATED);
        Sandbox next = run(spec("shell"));
        assertThat(next.getId()).isNotEqualTo(running.getId());
        var _ = terminate(next.getId());
    }

    @Test
    void givesTheSameSandboxForARepeatedRequest() {
        CreateSandboxRequest request = request(spec("repeated"));

        Sandbox first = sandboxes.createSandbox(request).getSandbox();

        assertThat(sandboxes.createSandbox(request).getSandbox().getId()).isEqualTo(first.getId());
        assertThatThrownBy(() -> sandboxes.createSandbox(
                        request.toBuilder().setSpec(spec("other")).build()))
                .hasMessageContaining("request id");
        assertThatThrownBy(() -> sandboxes.createSandbox(request(spec("repeated"))))
                .hasMessageContaining("a live sandbox is named repeated");
        var _ = terminate(first.getId());
    }

    @Test
    void endsWhenItsTimeIsOverAndSaysWhy() {
        Sandbox running = run(spec("short").setLifetime(Durations.fromSeconds(3)));

        Sandbox ended = lastState(WatchSandboxRequest.newBuilder()
                .setSandbox(running.getId())
                .setUntilEnd(true)
                .build());

        assertThat(ended.getCause()).isEqualTo(Cause.CAUSE_LIFETIME);
        assertThat(ended.getEndedAt().getSeconds() - running.getExpiresAt().getSeconds())
                .isBetween(0L, 2L);
        assertThatThrownBy(() -> exec(running.getId(), "echo late"))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContaining("FAILED_PRECONDITION")
                .hasMessageContaining("TERMINATED (lifetime");
        assertThat(sandboxes
                        .listEgress(ListEgressRequest.newBuilder()
                                .setSandbox(running.getId())
                                .build())
                        .getConnectionsList())
                .isEmpty();
    }

    @Test
    void saysThatAnUnknownSandboxIsNotFound() {
        assertThatThrownBy(() -> sandboxes.getSandbox(
                        GetSandboxRequest.newBuilder().setSandbox("nobody").build()))
                .hasMessageContaining("NOT_FOUND: sandbox not found: nobody");
    }

    @Test
    void failsWithACauseWhenThereIsNoImage() {
        Sandbox created = sandboxes
                .createSandbox(CreateSandboxRequest.newBuilder()
                        .setRequestId(UUID.randomUUID().toString())
                        .setSpec(SandboxSpec.newBuilder().setImageDigest("sha256:" + "0".repeat(64)))
                        .build())
                .getSandbox();

        Sandbox ended = lastState(
                WatchSandboxRequest.newBuilder().setSandbox(created.getId()).build());

        assertThat(ended.getState()).isEqualTo(State.STATE_FAILED);
        assertThat(ended.getCause()).isEqualTo(Cause.CAUSE_IMAGE);
        assertThat(ended.getMessage()).contains("image not found");
    }

    private SandboxSpec.Builder spec(String name) {
        SandboxSpec.Builder spec = SandboxSpec.newBuilder().setName(name).setMemoryBytes(512L << 20);
        spec.getRecipeBuilder().setReference(registry.image());
        return spec;
    }

    private static CreateSandboxRequest request(SandboxSpec.Builder spec) {
        return CreateSandboxRequest.newBuilder()
                .setRequestId(UUID.randomUUID().toString())
                .setSpec(spec)
                .build();
    }

    private Sandbox run(SandboxSpec.Builder spec) {
        Sandbox created = sandboxes.createSandbox(request(spec)).getSandbox();
        Sandbox running = lastState(
                WatchSandboxRequest.newBuilder().setSandbox(created.getId()).build());
        assertThat(running.getState()).as(running.getMessage()).isEqualTo(State.STATE_RUNNING);
        return running;
    }

    private Sandbox lastState(WatchSandboxRequest request) {
        Sandbox last = Sandbox.getDefaultInstance();
        Iterator<WatchSandboxResponse> events = sandboxes.watchSandbox(request);
        while (events.hasNext()) {
            WatchSandboxResponse event = events.next();
            last = event.hasSandbox() ? event.getSandbox() : last;
        }
        return last;
    }

    private Sandbox terminate(String sandbox) {
        return sandboxes
                .terminateSandbox(
                        TerminateSandboxRequest.newBuilder().setSandbox(sandbox).build())
                .getSandbox();
    }

    private String exec(String sandbox, String script) {
        StringBuilder output = new StringBuilder();
        Iterator<ExecEvent> events = execs.startExec(StartExecRequest.newBuilder()
                .setSandbox(sandbox)
                .setExecId(UUID.randomUUID().toString())
                .addAllCommand(List.of("sh", "-c", script))
                .build());
        while (events.hasNext()) {
            ExecEvent event = events.next();
            output.append(event.getStdout().toString(StandardCharsets.UTF_8));
            output.append(event.getStderr().toString(StandardCharsets.UTF_8));
        }
        return output.toString();
    }

    private int put(String sandbox, String path, String content) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                            files(sandbox, path)
                                    .PUT(HttpRequest.BodyPublishers.ofString(content))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }

    private String get(String sandbox, String path) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(files(sandbox, path).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private HttpRequest.Builder files(String sandbox, String path) {
        return HttpRequest.newBuilder(platform.resolve("/v1/sandboxes/" + sandbox + "/files?path=" + path))
                .header("Authorization", token);
    }
}
