package dev.slate.image.store;

import dev.slate.tree.Digest;
import java.time.Instant;

/** An image that was built in an environment. */
public record BuiltImage(Digest digest, String recipeDigest, long sizeBytes, int layers, Instant createdAt) {}
