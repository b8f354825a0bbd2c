package dev.slate.image.recipe;

/** What an image starts from. */
public sealed interface BaseSource {
    /** Debian 13 with {@code python3} and {@code ca-certificates}. */
    record DebianSlim() implements BaseSource {}

    /** An image of a registry. */
    record Registry(ImageReference reference) implements BaseSource {}
}
