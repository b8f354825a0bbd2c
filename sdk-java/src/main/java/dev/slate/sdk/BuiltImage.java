package dev.slate.sdk;

import java.time.Instant;

/**
 * An image that sandboxes can start from at once.
 *
 * @param digest identifies its bytes
 * @param recipeDigest identifies what it was made from
 */
public record BuiltImage(String digest, String recipeDigest, long sizeBytes, int layers, Instant createdAt) {

    static BuiltImage of(dev.slate.api.image.v1.Image image) {
        return new BuiltImage(
                image.getDigest(),
                image.getRecipeDigest(),
                image.getSizeBytes(),
                image.getLayers(),
                Wire.instant(image.getCreatedAt()));
    }
}
