package dev.slate.controlplane.sandbox;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.slate.api.image.v1.BuildEvent;
import dev.slate.api.image.v1.BuildImageRequest;
import dev.slate.api.image.v1.ImageNodeGrpc;
import dev.slate.api.image.v1.ImagesGrpc;
import dev.slate.api.image.v1.PrepareImageRequest;
import dev.slate.api.image.v1.PrepareImageResponse;
import dev.slate.api.image.v1.Recipe;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.GrpcErrors;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.InternalApi;
import dev.slate.common.grpc.InternalServer;
import dev.slate.controlplane.runtime.Workload.ImageLayers;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.function.Consumer;

/** Reaches the image builder over gRPC. */
@Singleton
class GrpcImageSupply implements ImageSupply {
    private final ImagesGrpc.ImagesBlockingStub images;
    private final ImageNodeGrpc.ImageNodeBlockingStub node;

    GrpcImageSupply(@InternalApi Channel channel) {
        this.images = ImagesGrpc.newBlockingStub(channel);
        this.node = ImageNodeGrpc.newBlockingStub(channel);
    }

    @Override
    public String resolve(String environment, ImageSource image, Consumer<BuildEvent> progress) {
        return switch (image) {
            case ImageSource.Built(var digest) -> digest;
            case ImageSource.Recipe recipe -> build(environment, recipe, progress);
        };
    }

    @Override
    public PreparedImage prepare(String digest) {
        try {
            PrepareImageResponse prepared = node.prepareImage(
                    PrepareImageRequest.newBuilder().setDigest(digest).build());
            ImageLayers layers = new ImageLayers(
                    digest,
                    prepared.getLowerDirectoriesList().stream().map(Path::of).toList());
            return new PreparedImage(layers, prepared.getEnvMap(), prepared.getWorkdir(), prepared.getUser());
        } catch (StatusRuntimeException failure) {
            PlatformException known = GrpcErrors.fromStatus(failure);
            throw new PlatformException(ErrorCode.IMAGE_BUILD_FAILED, String.valueOf(known.getMessage()), failure);
        }
    }

    private String build(String environment, ImageSource.Recipe recipe, Consumer<BuildEvent> progress) {
        try {
            Iterator<BuildEvent> events = InternalServer.inEnvironment(images, environment)
                    .buildImage(BuildImageRequest.newBuilder()
                            .setRecipe(Recipe.parseFrom(recipe.encoded()))
                            .build());
            while (events.hasNext()) {
                BuildEvent event = events.next();
                if (event.hasResult()) {
                    return event.getResult().getImage().getDigest();
                }
                progress.accept(event);
            }
        } catch (StatusRuntimeException failure) {
            throw GrpcErrors.fromStatus(failure);
        } catch (InvalidProtocolBufferException damaged) {
            throw new IllegalStateException("a stored recipe cannot be read", damaged);
        }
        throw new PlatformException(ErrorCode.INTERNAL, "the image builder ended without a result");
    }
}
