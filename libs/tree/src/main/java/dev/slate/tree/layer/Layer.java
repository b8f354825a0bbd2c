package dev.slate.tree.layer;

import dev.slate.tree.Digest;

/**
 * What OCI manifests say about a layer.
 *
 * @param diffId digest of the tar, the layer's identity
 * @param digest digest of the blob, the packed tar
 * @param size bytes of the blob
 */
public record Layer(Digest diffId, Digest digest, long size, Compression compression) {}
