package dev.slate.volume.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.api.volume.v1.CommitFilesRequest;
import dev.slate.api.volume.v1.CreateVolumeRequest;
import dev.slate.api.volume.v1.DeleteVolumeRequest;
import dev.slate.api.volume.v1.FileChange;
import dev.slate.api.volume.v1.FileEntry;
import dev.slate.api.volume.v1.FindMissingBodiesRequest;
import dev.slate.api.volume.v1.GetVolumeRequest;
import dev.slate.api.volume.v1.ListFilesRequest;
import dev.slate.api.volume.v1.ListMountsRequest;
import dev.slate.api.volume.v1.ListVersionsRequest;
import dev.slate.api.volume.v1.MountRequest;
import dev.slate.api.volume.v1.MountResponse;
import dev.slate.api.volume.v1.PutFile;
import dev.slate.api.volume.v1.SealRequest;
import dev.slate.api.volume.v1.SealResponse;
import dev.slate.api.volume.v1.Version;
import dev.slate.api.volume.v1.VolumeNodeGrpc;
import dev.slate.api.volume.v1.VolumesGrpc;
import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.auth.Tokens;
import dev.slate.common.grpc.InternalApi;
import dev.slate.common.grpc.InternalServer;
import dev.slate.tree.Digest;
import dev.slate.volume.catalog.PostgresResource;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole module on a real database, over its gRPC and HTTP interfaces. */
@QuarkusTest
@QuarkusTestResource(PostgresResource.class)
class VolumeApiIT {
    private static final String ENVIRONMENT = "default";

    @TestHTTPResource("/")
    URI server = URI.create("/");

    private final Channel channel;
    private final Tokens tokens;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String name = "v-" + UUID.randomUUID();

    VolumeApiIT(@InternalApi Channel channel, Tokens tokens) {
        this.channel = channel;
        this.tokens = tokens;
    }

    private VolumesGrpc.VolumesBlockingStub volumes() {
        return InternalServer.inEnvironment(VolumesGrpc.newBlockingStub(channel), ENVIRONMENT);
    }

    private VolumeNodeGrpc.VolumeNodeBlockingStub node() {
        return VolumeNodeGrpc.newBlockingStub(channel);
    }

    @BeforeEach
    void createVolume() {
        volumes().createVolume(CreateVolumeRequest.newBuilder().setName(name).build());
    }

    @Test
    void uploadedFilesBecomeAVersion() throws Exception {
        Version version = put("data/loans.csv", "id\nA1\n");

        assertThat(version.getNumber()).isEqualTo(1);
        assertThat(version.getFiles()).isEqualTo(1);
        assertThat(get("data/loans.csv", "", "").body()).isEqualTo("id\nA1\n");
        assertThat(volumes()
                        .getVolume(GetVolumeRequest.newBuilder().setName(name).build())
                        .getVolume()
                        .getLatestVersion())
                .isEqualTo(1);
    }

    @Test
    void sandboxWritesInLatestAndDropsInAVersion() throws Exception {
        put("loans.csv", "1");
        Path latest = Path.of(mount("a-" + name, 0).getHostPath());
        Files.writeString(latest.resolve("loans.csv"), "2");
        Path pinned = Path.of(mount("b-" + name, 1).getHostPath());
        Files.writeString(pinned.resolve("loans.csv"), "3");
        assertThat(node().listMounts(ListMountsRequest.getDefaultInstance()).getMountsList())
                .filteredOn(mount -> mount.getVolume().equals(name))
                .allMatch(mount -> mount.getMounted() && !mount.getSealed())
                .hasSize(2);

        SealResponse committed = seal("a-" + name);
        SealResponse dropped = seal("b-" + name);

        assertThat(committed.getOutcome()).isEqualTo(SealResponse.Outcome.OUTCOME_COMMITTED);
        assertThat(committed.getVersion()).isEqualTo(2);
        assertThat(dropped.getOutcome()).isEqualTo(SealResponse.Outcome.OUTCOME_DROPPED);
        assertThat(get("loans.csv", "", "").body()).isEqualTo("2");
        assertThat(get("loans.csv", "&version=1", "").body()).isEqualTo("1");
    }

    @Test
    void listsFilesAndVersionsInPages() throws Exception {
        put("a", "1");
        put("d/b", "2");
        put("d/e/c", "3");

        List<String> all = volumes()
                .listFiles(ListFilesRequest.newBuilder()
                        .setVolume(name)
                        .setRecursive(true)
                        .build())
                .getEntriesList()
                .stream()
                .map(FileEntry::getPath)
                .toList();
        var first = volumes()
                .listFiles(ListFilesRequest.newBuilder()
                        .setVolume(name)
                        .setPath("d")
                        .setPageSize(1)
                        .build());
        var second = volumes()
                .listFiles(ListFilesRequest.newBuilder()
                        .setVolume(name)
                        .setPath("d")
                        .setPageSize(1)
                        .setPageToken(first.getNextPageToken())
                        .build());
        var versions = volumes()
                .listVersions(ListVersionsRequest.newBuilder()
                        .setVolume(name)
                        .setPageSize(2)
                        .build());
        var older = volumes()
                .listVersions(ListVersionsRequest.newBuilder()
                        .setVolume(name)
                        .setPageToken(versions.getNextPageToken())
                        .build());

        assertThat(all).containsExactly("a", "d", "d/b", "d/e", "d/e/c");
        assertThat(first.getEntries(0).getPath()).isEqualTo("d/b");
        assertThat(second.getEntries(0).getType()).isEqualTo(FileEntry.Type.TYPE_DIRECTORY);
        assertThat(second.getNextPageToken()).isEmpty();
        assertThat(versions.getVersionsList()).extracting(Version::getNumber).containsExactly(3L, 2L);
        assertThat(older.getVersionsList()).extracting(Version::getNumber).containsExactly(1L);
    }

    @Test
    void sameCommitIdGivesTheSameVersionAndRefusesOtherChanges() throws Exception {
        String id = UUID.randomUUID().toString();
        CommitFilesRequest request = commit(id, "f", upload("1"), 1);
        Version first = volumes().commitFiles(request).getVersion();

        assertThat(volumes().commitFiles(request).getVersion()).isEqualTo(first);
        CommitFilesRequest other = commit(id, "g", upload("1"), 1);
        assertThatThrownBy(() -> volumes().commitFiles(other))
                .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.ALREADY_EXISTS));
    }

    @Test
    void refusesBodiesThatAreNotThere() {
        String absent = Digest.of("never".getBytes(StandardCharsets.UTF_8)).hex();

        assertThatThrownBy(() -> volumes().commitFiles(commit("c", "f", absent, 5)))
                .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.FAILED_PRECONDITION));
        assertThat(volumes()
                        .findMissingBodies(FindMissingBodiesRequest.newBuilder()
                                .setVolume(name)
                                .addSha256(absent)
                                .build())
                        .getSha256List())
                .containsExactly(absent);
    }

    @Test
    void servesRanges() throws Exception {
        put("f", "0123456789");

        HttpResponse<String> part = get("f", "", "bytes=2-4");
        HttpResponse<String> beyond = get("f", "", "bytes=10-");

        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.body()).isEqualTo("234");
        assertThat(part.headers().firstValue("Content-Range")).contains("bytes 2-4/10");
        assertThat(beyond.statusCode()).isEqualTo(416);
    }

    @Test
    void emptyFilesWork() throws Exception {
        put("empty", "");

        HttpResponse<String> response = get("empty", "", "");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
    }

    @Test
    void deletedVolumeIsGoneAndItsNameIsFree() throws Exception {
        put("f", "1");
        mount("d-" + name, 0);

        volumes().deleteVolume(DeleteVolumeRequest.newBuilder().setName(name).build());

        assertThat(get("f", "", "").statusCode()).isEqualTo(404);
        assertThatThrownBy(() -> mount("e-" + name, 0))
                .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.NOT_FOUND));
        createVolume();
        assertThat(get("f", "", "").statusCode()).isEqualTo(404);
        assertThat(seal("d-" + name).getOutcome()).isEqualTo(SealResponse.Outcome.OUTCOME_UNCHANGED);
    }

    @Test
    void refusesRequestsWithoutATokenOrAPermission() throws Exception {
        put("f", "1");

        assertThat(send(request("files?path=f").GET()).statusCode()).isEqualTo(401);
        String reader = token(EnumSet.of(Permission.DEPLOY_READ));
        assertThat(send(request("bodies")
                                .header("Authorization", "Bearer " + reader)
                                .PUT(HttpRequest.BodyPublishers.ofString("x")))
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void anotherEnvironmentSeesNothing() throws Exception {
        put("f", "1");
        VolumesGrpc.VolumesBlockingStub other = InternalServer.inEnvironment(volumes(), "other");

        assertThatThrownBy(() -> other.getVolume(
                        GetVolumeRequest.newBuilder().setName(name).build()))
                .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.NOT_FOUND));
    }

    @Test
    void refusesBadNames() {
        assertThatThrownBy(() -> volumes()
                        .createVolume(CreateVolumeRequest.newBuilder()
                                .setName("Bad/Name")
                                .build()))
                .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.INVALID_ARGUMENT))
                .hasMessageContaining("Bad/Name");
        assertThatThrownBy(() -> volumes()
                        .createVolume(
                                CreateVolumeRequest.newBuilder().setName(name).build()))
                .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.ALREADY_EXISTS));
    }

    private Version put(String path, String text) throws IOException, InterruptedException {
        String sha256 = upload(text);
        int size = text.getBytes(StandardCharsets.UTF_8).length;
        return volumes()
                .commitFiles(commit(UUID.randomUUID().toString(), path, sha256, size))
                .getVersion();
    }

    private String upload(String text) throws IOException, InterruptedException {
        HttpResponse<String> response = send(request("bodies")
                .header("Authorization", "Bearer " + token(EnumSet.allOf(Permission.class)))
                .PUT(HttpRequest.BodyPublishers.ofString(text)));
        String sha256 = Digest.of(text.getBytes(StandardCharsets.UTF_8)).hex();
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.body()).contains("\"sha256\":\"" + sha256 + "\"");
        return sha256;
    }

    private CommitFilesRequest commit(String id, String path, String sha256, long size) {
        return CommitFilesRequest.newBuilder()
                .setVolume(name)
                .setCommitId(id)
                .addChanges(FileChange.newBuilder()
                        .setPath(path)
                        .setPut(PutFile.newBuilder().setSha256(sha256).setSize(size)))
                .build();
    }

    private HttpResponse<String> get(String path, String more, String range) throws IOException, InterruptedException {
        HttpRequest.Builder request = request("files?path=" + path + more)
                .header("Authorization", "Bearer " + token(EnumSet.allOf(Permission.class)));
        if (!range.isEmpty()) {
            request.header("Range", range);
        }
        return send(request.GET());
    }

    private HttpRequest.Builder request(String rest) {
        return HttpRequest.newBuilder(server.resolve("/v1/volumes/" + name + "/" + rest));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private String token(EnumSet<Permission> permissions) {
        return tokens.sign(new Caller("me", "Me", "Owner", ENVIRONMENT, permissions), Duration.ofMinutes(5));
    }

    private MountResponse mount(String id, long version) {
        return node().mount(MountRequest.newBuilder()
                .setMountId(id)
                .setEnvironment(ENVIRONMENT)
                .setVolume(name)
                .setVersion(version)
                .setSandboxId("sandbox")
                .build());
    }

    private SealResponse seal(String id) {
        return node().seal(
                        SealRequest.newBuilder().setMountId(id).setCommit(true).build());
    }

    private static Status.Code code(Throwable failure) {
        return ((StatusRuntimeException) failure).getStatus().getCode();
    }
}
