package dev.slate.image.endpoint;

import dev.slate.api.image.v1.PrepareImageRequest;
import dev.slate.api.image.v1.PrepareImageResponse;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.image.layout.Images;
import dev.slate.image.layout.LayerDirectories;
import dev.slate.image.layout.OciLayout;
import dev.slate.image.layout.StoredImage;
import dev.slate.tree.Digest;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;

/** Images for the runtime of this node. Whether a caller may use an image is decided before. */
final class ImageNodeGrpc extends dev.slate.api.image.v1.ImageNodeGrpc.ImageNodeImplBase {
    private final OciLayout layout;
    private final Images images;
    private final LayerDirectories directories;

    ImageNodeGrpc(OciLayout layout, Images images, LayerDirectories directories) {
        this.layout = layout;
        this.images = images;
        this.directories = directories;
    }

    @Override
    public void prepareImage(PrepareImageRequest request, StreamObserver<PrepareImageResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            StoredImage image = find(request.getDigest());
            PrepareImageResponse.Builder response = PrepareImageResponse.newBuilder()
                    .putAllEnv(image.config().env())
                    .setWorkdir(image.config().workdir())
                    .addAllEntrypoint(image.config().entrypoint())
                    .setUser(image.config().user());
            directories.prepare(image.layers()).stream().map(Path::toString).forEach(response::addLowerDirectories);
            return response.build();
        });
    }

    private StoredImage find(String text) {
        Digest digest;
        try {
            digest = Digest.parse(text);
        } catch (IllegalArgumentException _) {
            throw PlatformException.invalid("digest", text, "sha256:… of a manifest");
        }
        if (!layout.has(digest)) {
            throw PlatformException.notFound("image", text);
        }
        return images.read(digest);
    }
}
