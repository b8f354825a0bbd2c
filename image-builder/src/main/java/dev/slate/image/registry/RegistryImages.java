package dev.slate.image.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.image.layout.Images;
import dev.slate.image.layout.OciLayout;
import dev.slate.image.layout.StoredImage;
import dev.slate.image.progress.Progress;
import dev.slate.image.recipe.ImageReference;
import dev.slate.tree.Digest;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.security.DigestOutputStream;

/** Pulls images into the layout: the manifest of this platform, and each blob checked against its digest. Thread-safe. */
@Singleton
public class RegistryImages {
    private static final String OCI_INDEX = "application/vnd.oci.image.index.v1+json";
    private static final String OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final String DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json";
    private static final String DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
    private static final String MANIFESTS = String.join(", ", OCI_INDEX, OCI_MANIFEST, DOCKER_LIST, DOCKER_MANIFEST);
    private static final long MAX_BLOB = 32L << 30;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final RegistryHttp http;
    private final OciLayout layout;
    private final Images images;

    RegistryImages(RegistryHttp http, OciLayout layout, Images images) {
        this.http = http;
        this.layout = layout;
        this.images = images;
    }

    /** Pulls with a client of its own, where there is no container of beans. */
    public static RegistryImages of(OciLayout layout, Images images) {
        return new RegistryImages(new RegistryHttp(), layout, images);
    }

    /** Makes the image available; blobs that are here already are not fetched. */
    public StoredImage pull(ImageReference reference, Progress progress) {
        RegistryEndpoint endpoint = RegistryEndpoint.of(reference);
        try {
            byte[] bytes = manifest(endpoint, reference, reference.version());
            JsonNode document = JSON.readTree(bytes);
            if (document.path("manifests").isArray()) {
                bytes = manifest(endpoint, reference, forThisPlatform(document, reference));
                document = JSON.readTree(bytes);
            }
            progress.phase("pull " + reference, 0, 0, false);
            fetch(endpoint, reference, document.path("config"));
            int number = 0;
            for (JsonNode layer : document.path("layers")) {
                number++;
                progress.log(
                        0,
                        "layer %d of %d: %s, %d bytes%n"
                                .formatted(
                                        number,
                                        document.path("layers").size(),
                                        layer.path("digest").asText(),
                                        layer.path("size").asLong()));
                fetch(endpoint, reference, layer);
            }
            // Last, so that a manifest in the layout has all its blobs.
            Digest digest = layout.write(bytes);
            return images.adopt(
                    digest, document.path("mediaType").asText(OCI_MANIFEST), bytes.length, reference.toString());
        } catch (IOException e) {
            throw new PlatformException(ErrorCode.UNAVAILABLE, "pull " + reference + ": " + e.getMessage(), e);
        }
    }

    private byte[] manifest(RegistryEndpoint endpoint, ImageReference reference, String version) {
        byte[] bytes = http.document(endpoint.manifest(reference, version), MANIFESTS);
        if (version.startsWith("sha256:")) {
            check(Digest.parse(version), Digest.of(bytes), reference);
        }
        return bytes;
    }

    private static String forThisPlatform(JsonNode index, ImageReference reference) {
        for (JsonNode entry : index.path("manifests")) {
            JsonNode platform = entry.path("platform");
            if (platform.path("os").asText().equals("linux")
                    && platform.path("architecture").asText().equals(Images.architecture())) {
                return Digest.parse(entry.path("digest").asText()).toString();
            }
        }
        throw new PlatformException(
                ErrorCode.NOT_FOUND, reference + " has no image for linux/" + Images.architecture());
    }

    private void fetch(RegistryEndpoint endpoint, ImageReference reference, JsonNode descriptor) throws IOException {
        Digest expected = Digest.parse(descriptor.path("digest").asText());
        long size = descriptor.path("size").asLong();
        if (size < 0 || size > MAX_BLOB) {
            throw new PlatformException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "%s: a blob of %d bytes (expected: at most 32 GiB)".formatted(reference, size));
        }
        if (layout.has(expected)) {
            return;
        }
        URI source = endpoint.blob(reference, expected.toString());
        try (InputStream body = http.get(source, "*/*")) {
            layout.write(
                    out -> {
                        Digest actual = copy(body, out, size);
                        check(expected, actual, reference);
                        return actual;
                    },
                    digest -> digest);
        }
    }

    private static Digest copy(InputStream body, OutputStream out, long size) throws IOException {
        DigestOutputStream digested = new DigestOutputStream(out, Digest.sha256());
        byte[] buffer = new byte[65_536];
        long rest = size;
        for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
            rest -= n;
            if (rest < 0) {
                throw new IOException("a blob is longer than its " + size + " bytes");
            }
            digested.write(buffer, 0, n);
        }
        return Digest.of(digested.getMessageDigest());
    }

    private static void check(Digest expected, Digest actual, ImageReference reference) {
        if (!expected.equals(actual)) {
            throw new PlatformException(
                    ErrorCode.UNAVAILABLE,
                    "%s: the registry sent %s (expected: %s)".formatted(reference, actual, expected));
        }
    }
}
