package dev.slate.testing;

import dev.slate.api.image.v1.BuildEvent;
import dev.slate.api.image.v1.BuildImageRequest;
import dev.slate.api.image.v1.BuildPhase;
import dev.slate.api.image.v1.BuildResult;
import dev.slate.api.image.v1.FindMissingFilesRequest;
import dev.slate.api.image.v1.FindMissingFilesResponse;
import dev.slate.api.image.v1.Image;
import dev.slate.api.image.v1.ImagesGrpc;
import dev.slate.api.image.v1.ListImagesRequest;
import dev.slate.api.image.v1.ListImagesResponse;
import dev.slate.api.image.v1.Step;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An image is known by the hash code of its recipe; a step {@code false} fails. Confined by its own lock. */
final class FakeImages extends ImagesGrpc.ImagesImplBase {

    private final FakeHttp files;
    private final Map<String, Image> images = new LinkedHashMap<>();

    FakeImages(FakeHttp files) {
        this.files = files;
    }

    @Override
    public void findMissingFiles(FindMissingFilesRequest request, StreamObserver<FindMissingFilesResponse> observer) {
        Fakes.reply(
                observer,
                () -> FindMissingFilesResponse.newBuilder()
                        .addAllSha256(request.getSha256List().stream()
                                .filter(sha256 -> !files.hasBody(sha256))
                                .toList())
                        .build());
    }

    @Override
    public synchronized void buildImage(BuildImageRequest request, StreamObserver<BuildEvent> observer) {
        var digest = "sha256:" + String.format("%064x", request.getRecipe().hashCode() & 0xffff_ffffL);
        var existed = images.containsKey(digest);
        var steps = request.getRecipe().getStepsList();
        for (var step : existed ? List.<Step>of() : steps) {
            observer.onNext(BuildEvent.newBuilder()
                    .setPhase(BuildPhase.newBuilder()
                            .setMessage("step " + step.getKindCase())
                            .setSteps(steps.size()))
                    .build());
            if (step.getRunCommand().getCommand().equals("false")) {
                observer.onError(Fakes.failure(Status.FAILED_PRECONDITION, "IMAGE_BUILD_FAILED", "false ended with 1"));
                return;
            }
        }
        var image = Image.newBuilder()
                .setDigest(digest)
                .setRecipeDigest(digest)
                .setLayers(steps.size() + 1)
                .setCreatedAt(Fakes.TIME)
                .build();
        images.put(digest, image);
        observer.onNext(BuildEvent.newBuilder()
                .setResult(BuildResult.newBuilder().setImage(image).setExisted(existed))
                .build());
        observer.onCompleted();
    }

    @Override
    public synchronized void listImages(ListImagesRequest request, StreamObserver<ListImagesResponse> observer) {
        Fakes.reply(
                observer,
                () -> ListImagesResponse.newBuilder()
                        .addAllImages(images.values())
                        .build());
    }
}
