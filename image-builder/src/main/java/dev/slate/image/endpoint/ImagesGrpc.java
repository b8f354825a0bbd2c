package dev.slate.image.endpoint;

import dev.slate.api.image.v1.BuildEvent;
import dev.slate.api.image.v1.BuildImageRequest;
import dev.slate.api.image.v1.FindMissingFilesRequest;
import dev.slate.api.image.v1.FindMissingFilesResponse;
import dev.slate.api.image.v1.GetImageRequest;
import dev.slate.api.image.v1.GetImageResponse;
import dev.slate.api.image.v1.ListImagesRequest;
import dev.slate.api.image.v1.ListImagesResponse;
import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.image.build.ImageBuilds;
import dev.slate.image.recipe.ImageRecipe;
import dev.slate.image.store.BuiltImage;
import dev.slate.image.store.ImageStore;
import dev.slate.image.upload.UploadedFiles;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import java.util.List;

/** Images for users. */
@GrpcService
public class ImagesGrpc extends dev.slate.api.image.v1.ImagesGrpc.ImagesImplBase {
    private static final int DEFAULT_PAGE = 100;
    private static final int LARGEST_PAGE = 1_000;

    private final ImageBuilds builds;
    private final ImageStore store;
    private final UploadedFiles files;

    ImagesGrpc(ImageBuilds builds, ImageStore store, UploadedFiles files) {
        this.builds = builds;
        this.store = store;
        this.files = files;
    }

    @Override
    public void findMissingFiles(FindMissingFilesRequest request, StreamObserver<FindMissingFilesResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Caller caller = Caller.current().require(Permission.DEPLOY_CREATE);
            List<String> missing = files.missing(caller.environment(), request.getSha256List());
            return FindMissingFilesResponse.newBuilder().addAllSha256(missing).build();
        });
    }

    @Override
    public void buildImage(BuildImageRequest request, StreamObserver<BuildEvent> observer) {
        GrpcCalls.stream(observer, replies -> {
            Caller caller = Caller.current().require(Permission.DEPLOY_CREATE);
            ImageRecipe recipe = RecipeReader.read(request.getRecipe());
            ImageBuilds.Result result = builds.build(
                    caller.environment(),
                    recipe,
                    request.getForce(),
                    event -> replies.send(ImageMessages.event(event)));
            replies.send(ImageMessages.result(result));
        });
    }

    @Override
    public void listImages(ListImagesRequest request, StreamObserver<ListImagesResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Caller caller = Caller.current().require(Permission.DEPLOY_READ);
            int size = pageSize(request.getPageSize());
            List<BuiltImage> images = store.list(caller.environment(), request.getPageToken(), size);
            ListImagesResponse.Builder response = ListImagesResponse.newBuilder();
            images.stream().map(ImageMessages::image).forEach(response::addImages);
            if (images.size() == size) {
                response.setNextPageToken(images.getLast().recipeDigest());
            }
            return response.build();
        });
    }

    @Override
    public void getImage(GetImageRequest request, StreamObserver<GetImageResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Caller caller = Caller.current().require(Permission.DEPLOY_READ);
            BuiltImage image = store.findByAnyDigest(caller.environment(), request.getDigest())
                    .orElseThrow(() -> PlatformException.notFound("image", request.getDigest()));
            return GetImageResponse.newBuilder()
                    .setImage(ImageMessages.image(image))
                    .build();
        });
    }

    private static int pageSize(int requested) {
        if (requested < 0) {
            throw PlatformException.invalid("page_size", requested, "0 to " + LARGEST_PAGE);
        }
        return requested == 0 ? DEFAULT_PAGE : Math.min(requested, LARGEST_PAGE);
    }
}
