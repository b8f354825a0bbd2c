package dev.slate.sdk;

import dev.slate.api.image.v1.BuildImageRequest;
import dev.slate.api.image.v1.GetImageRequest;
import dev.slate.api.image.v1.ImagesGrpc;
import dev.slate.api.image.v1.ListImagesRequest;
import dev.slate.sdk.internal.Transport;
import java.util.List;

/** Builds images ahead of use and lists what is there. Thread-safe. */
public final class Images {

    private final Transport transport;
    private final Progress progress;

    Images(Transport transport, Progress progress) {
        this.transport = transport;
        this.progress = progress;
    }

    /** Returns at once when the image exists; otherwise builds it, or waits for whoever does. */
    public BuiltImage build(Image image) {
        return build(image, progress);
    }

    public BuiltImage build(Image image, Progress listener) {
        return build(image, listener, false);
    }

    /** Builds even when the image exists. */
    public BuiltImage rebuild(Image image, Progress listener) {
        return build(image, listener, true);
    }

    public List<BuiltImage> list() {
        return Pages.all(token -> {
            var request = ListImagesRequest.newBuilder().setPageToken(token).build();
            var reply = transport.call(ImagesGrpc.getListImagesMethod(), request);
            return new Pages.Page<>(
                    reply.getImagesList().stream().map(BuiltImage::of).toList(), reply.getNextPageToken());
        });
    }

    /** By either digest. */
    public BuiltImage get(String digest) {
        var request = GetImageRequest.newBuilder().setDigest(digest).build();
        return BuiltImage.of(
                transport.call(ImagesGrpc.getGetImageMethod(), request).getImage());
    }

    private BuiltImage build(Image image, Progress listener, boolean force) {
        var request = BuildImageRequest.newBuilder()
                .setRecipe(ImageRecipe.upload(image, transport))
                .setForce(force)
                .build();
        var watch = new BuildWatch(listener);
        try (var events = transport.stream(ImagesGrpc.getBuildImageMethod(), request)) {
            while (events.hasNext()) {
                var event = events.next();
                if (event.hasResult()) {
                    events.drain();
                    return BuiltImage.of(event.getResult().getImage());
                }
                watch.accept(event);
            }
        } finally {
            listener.done();
        }
        throw SlateException.unavailable("UNAVAILABLE", "the build ended without a result");
    }
}
