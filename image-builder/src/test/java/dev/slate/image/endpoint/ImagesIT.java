package dev.slate.image.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.api.image.v1.AddFiles;
import dev.slate.api.image.v1.AddedFile;
import dev.slate.api.image.v1.BuildEvent;
import dev.slate.api.image.v1.BuildImageRequest;
import dev.slate.api.image.v1.BuildResult;
import dev.slate.api.image.v1.FindMissingFilesRequest;
import dev.slate.api.image.v1.GetImageRequest;
import dev.slate.api.image.v1.ImageNodeGrpc;
import dev.slate.api.image.v1.ListImagesRequest;
import dev.slate.api.image.v1.PrepareImageRequest;
import dev.slate.api.image.v1.Recipe;
import dev.slate.api.image.v1.Step;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.GrpcErrors;
import dev.slate.common.grpc.InternalApi;
import dev.slate.common.grpc.InternalServer;
import dev.slate.image.layout.Images;
import dev.slate.image.registry.Tars;
import dev.slate.image.registry.TestRegistry;
import dev.slate.image.upload.UploadedFiles;
import dev.slate.tree.Digest;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(PostgresResource.class)
class ImagesIT {
    private static final TestRegistry REGISTRY = new TestRegistry();
    private static final byte[] BODY = "print('hello')\n".getBytes(StandardCharsets.UTF_8);

    private final Channel channel;
    private final UploadedFiles uploads;

    @TestHTTPResource("/v1/images/files/")
    @SuppressWarnings("NullAway.Init") // injected
    URI files;

    ImagesIT(@InternalApi Channel channel, UploadedFiles uploads) {
        this.channel = channel;
        this.uploads = uploads;
    }

    @BeforeAll
    static void addBase() {
        REGISTRY.addImage(
                "base",
                "v1",
                Tars.ofFile("hello", "hi\n"),
                Images.architecture(),
                "application/vnd.docker.distribution.");
    }

    @AfterAll
    static void close() {
        REGISTRY.close();
    }

    @Test
    void answersWithTheImageThatExists() {
        var first = result(build("answers", recipe("/a"), false));

        REGISTRY.requests().clear();
        var again = build("answers", recipe("/a"), false);

        assertThat(first.getExisted()).isFalse();
        assertThat(again).hasSize(1);
        assertThat(result(again).getExisted()).isTrue();
        assertThat(result(again).getImage()).isEqualTo(first.getImage());
        assertThat(REGISTRY.requests()).isEmpty();
    }

    @Test
    void runsOnlyTheStepsThatChanged() {
        build("changed", recipe("/a", "/b"), false);

        var events = build("changed", recipe("/a", "/c"), false);

        assertThat(events.stream()
                        .filter(BuildEvent::hasPhase)
                        .map(event -> event.getPhase().getMessage()
                                + " "
                                + event.getPhase().getCached()))
                .containsExactly("step 1 of 2: add /a true", "step 2 of 2: add /c false", "image false");
    }

    @Test
    void givesTheSameDigestWhenForced() {
        var first = result(build("forced", recipe("/a"), false));

        var forced = result(build("forced", recipe("/a"), true));

        assertThat(forced.getExisted()).isFalse();
        assertThat(forced.getImage().getDigest()).isEqualTo(first.getImage().getDigest());
    }

    @Test
    void keepsImagesOfEnvironmentsApart() {
        var image = result(build("one", recipe("/a"), false)).getImage();

        assertThat(images("one")
                        .getImage(GetImageRequest.newBuilder()
                                .setDigest(image.getDigest())
                                .build())
                        .getImage())
                .isEqualTo(image);
        assertThatThrownBy(() -> images("two")
                        .getImage(GetImageRequest.newBuilder()
                                .setDigest(image.getDigest())
                                .build()))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        failure -> assertThat(GrpcErrors.fromStatus(failure).code())
                                .isEqualTo(ErrorCode.NOT_FOUND));
    }

    @Test
    void listsPageByPage() {
        build("pages", recipe("/a"), false);
        build("pages", recipe("/b"), false);
        var stub = images("pages");

        var first =
                stub.listImages(ListImagesRequest.newBuilder().setPageSize(1).build());
        var rest = stub.listImages(ListImagesRequest.newBuilder()
                .setPageToken(first.getNextPageToken())
                .build());

        assertThat(first.getImagesList()).hasSize(1);
        assertThat(rest.getImagesList()).hasSize(1).doesNotContainAnyElementsOf(first.getImagesList());
        assertThat(rest.getNextPageToken()).isEmpty();
    }

    @Test
    void showsTheLayersToTheRuntime() {
        var image = result(build("runtime", recipe("/app/agent.py"), false)).getImage();

        var prepared = ImageNodeGrpc.newBlockingStub(channel)
                .prepareImage(PrepareImageRequest.newBuilder()
                        .setDigest(image.getDigest())
                        .build());

        var directories =
                prepared.getLowerDirectoriesList().stream().map(Path::of).toList();
        assertThat(directories).hasSize(2);
        assertThat(directories.get(0).resolve("app/agent.py")).hasBinaryContent(BODY);
        assertThat(directories.get(1).resolve("hello")).hasContent("hi\n");
        assertThat(prepared.getEnvMap()).containsEntry("GREETING", "hi").containsEntry("PATH", "/bin");
        assertThat(prepared.getWorkdir()).isEqualTo("/srv");
    }

    @Test
    void refusesStepsThatItDoesNotKnow() {
        var recipe =
                recipe("/a").toBuilder().addSteps(Step.getDefaultInstance()).build();

        assertThatThrownBy(() -> build("unknown", recipe, false))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContaining("step: empty or unknown");
    }

    @Test
    void saysWhichFilesAreMissing() {
        uploads.put("missing", Digest.of(BODY).hex(), new ByteArrayInputStream(BODY));

        var missing = images("missing")
                .findMissingFiles(FindMissingFilesRequest.newBuilder()
                        .addSha256(Digest.of(BODY).hex())
                        .addSha256("0".repeat(64))
                        .build());

        assertThat(missing.getSha256List()).containsExactly("0".repeat(64));
    }

    @Test
    void takesNoFilesWithoutAToken() throws IOException, InterruptedException {
        var target = files.resolve(Digest.of(BODY).hex());
        var request = HttpRequest.newBuilder(target)
                .PUT(HttpRequest.BodyPublishers.ofByteArray(BODY))
                .build();

        try (var client = HttpClient.newHttpClient()) {
            assertThat(client.send(request, HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(401);
        }
    }

    private dev.slate.api.image.v1.ImagesGrpc.ImagesBlockingStub images(String environment) {
        return InternalServer.inEnvironment(dev.slate.api.image.v1.ImagesGrpc.newBlockingStub(channel), environment);
    }

    private List<BuildEvent> build(String environment, Recipe recipe, boolean force) {
        uploads.put(environment, Digest.of(BODY).hex(), new ByteArrayInputStream(BODY));
        var events = new ArrayList<BuildEvent>();
        images(environment)
                .buildImage(BuildImageRequest.newBuilder()
                        .setRecipe(recipe)
                        .setForce(force)
                        .build())
                .forEachRemaining(events::add);
        // Whether the base is pulled depends on which test comes first.
        events.removeIf(
                event -> event.hasPhase() && event.getPhase().getMessage().startsWith("pull "));
        events.removeIf(event -> event.hasLog() && event.getLog().getStep() == 0);
        return events;
    }

    private static BuildResult result(List<BuildEvent> events) {
        return events.getLast().getResult();
    }

    private static Recipe recipe(String... paths) {
        var recipe =
                Recipe.newBuilder().setReference(REGISTRY.host() + "/base:v1").putEnv("GREETING", "hi");
        for (var path : paths) {
            var file = AddedFile.newBuilder()
                    .setPath(path)
                    .setSha256(Digest.of(BODY).hex());
            recipe.addSteps(Step.newBuilder().setAddFiles(AddFiles.newBuilder().addFiles(file)));
        }
        return recipe.build();
    }
}
