package dev.slate.image.layout;

import dev.slate.tree.Digest;
import dev.slate.tree.layer.Layer;
import java.util.List;

/**
 * An image whose blobs are all in the layout.
 *
 * @param digest of the manifest
 * @param layers the lowest first
 */
public record StoredImage(Digest digest, List<Layer> layers, RuntimeConfig config) {
    public StoredImage {
        layers = List.copyOf(layers);
    }

    /** Bytes of all layer blobs. */
    public long sizeBytes() {
        return layers.stream().mapToLong(Layer::size).sum();
    }
}
