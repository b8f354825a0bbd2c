package dev.slate.image.layout;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slate.tree.Digest;
import dev.slate.tree.layer.Compression;
import dev.slate.tree.layer.Layer;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Reads and writes manifests and configurations. What was read once is kept: it never changes. Thread-safe. */
@Singleton
public class Images {
    /** A time that says nothing: equal content must give equal digests. */
    private static final String CREATED = "1970-01-01T00:00:00Z";

    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final String CONFIG = "application/vnd.oci.image.config.v1+json";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final OciLayout layout;
    private final Map<Digest, StoredImage> known = new ConcurrentHashMap<>();

    public Images(OciLayout layout) {
        this.layout = layout;
    }

    /** The architecture of this machine, as images name it. */
    public static String architecture() {
        return System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    }

    /** Stores an image whose layer blobs are in the layout; equal parts give an equal digest. */
    public StoredImage write(List<Layer> layers, RuntimeConfig runtime, String name) {
        try {
            byte[] configBytes = JSON.writeValueAsBytes(config(layers, runtime));
            Digest config = layout.write(configBytes);
            ObjectNode manifest =
                    JSON.createObjectNode().put("schemaVersion", 2).put("mediaType", MANIFEST);
            describe(manifest.putObject("config"), CONFIG, config, configBytes.length);
            ArrayNode list = manifest.putArray("layers");
            for (Layer layer : layers) {
                describe(list.addObject(), layer.compression().mediaType(), layer.digest(), layer.size());
            }
            byte[] bytes = JSON.writeValueAsBytes(manifest);
            Digest digest = layout.write(bytes);
            layout.name(digest, bytes.length, MANIFEST, name);
            return read(digest);
        } catch (IOException e) {
            throw new UncheckedIOException("write image", e);
        }
    }

    /** Names a manifest that was pulled together with all its blobs. */
    public StoredImage adopt(Digest manifest, String mediaType, long size, String name) throws IOException {
        StoredImage image = read(manifest);
        layout.name(manifest, size, mediaType, name);
        return image;
    }

    /** The image of a manifest in the layout. */
    public StoredImage read(Digest digest) {
        return known.computeIfAbsent(digest, this::parse);
    }

    private StoredImage parse(Digest digest) {
        try {
            JsonNode manifest = JSON.readTree(layout.read(digest));
            JsonNode config = JSON.readTree(layout.read(
                    Digest.parse(manifest.path("config").path("digest").asText())));
            JsonNode diffIds = config.path("rootfs").path("diff_ids");
            JsonNode descriptors = manifest.path("layers");
            if (diffIds.size() != descriptors.size() || diffIds.isEmpty()) {
                throw new IOException(
                        "image " + digest + ": " + descriptors.size() + " layers but " + diffIds.size() + " layer ids");
            }
            List<Layer> layers = new ArrayList<>();
            for (int i = 0; i < diffIds.size(); i++) {
                JsonNode descriptor = descriptors.get(i);
                layers.add(new Layer(
                        Digest.parse(diffIds.get(i).asText()),
                        Digest.parse(descriptor.path("digest").asText()),
                        descriptor.path("size").asLong(),
                        compression(descriptor.path("mediaType").asText())));
            }
            return new StoredImage(digest, layers, runtime(config.path("config")));
        } catch (IOException e) {
            throw new UncheckedIOException("read image " + digest, e);
        }
    }

    private static ObjectNode config(List<Layer> layers, RuntimeConfig runtime) {
        ObjectNode config = JSON.createObjectNode();
        config.put("created", CREATED).put("architecture", architecture()).put("os", "linux");
        ObjectNode container = config.putObject("config");
        ArrayNode env = container.putArray("Env");
        runtime.env().forEach((name, value) -> env.add(name + "=" + value));
        if (!runtime.entrypoint().isEmpty()) {
            ArrayNode words = container.putArray("Entrypoint");
            runtime.entrypoint().forEach(words::add);
        }
        container.put("WorkingDir", runtime.workdir()).put("User", runtime.user());
        ArrayNode diffIds = config.putObject("rootfs").put("type", "layers").putArray("diff_ids");
        layers.forEach(layer -> diffIds.add(layer.diffId().toString()));
        return config;
    }

    private static RuntimeConfig runtime(JsonNode container) {
        SortedMap<String, String> env = new TreeMap<>();
        for (JsonNode variable : container.path("Env")) {
            String text = variable.asText();
            int equals = text.indexOf('=');
            if (equals > 0) {
                env.put(text.substring(0, equals), text.substring(equals + 1));
            }
        }
        List<String> entrypoint = new ArrayList<>();
        container.path("Entrypoint").forEach(word -> entrypoint.add(word.asText()));
        return new RuntimeConfig(
                env,
                container.path("WorkingDir").asText(""),
                entrypoint,
                container.path("User").asText(""));
    }

    private static void describe(ObjectNode descriptor, String mediaType, Digest digest, long size) {
        descriptor.put("mediaType", mediaType).put("digest", digest.toString()).put("size", size);
    }

    private static Compression compression(String mediaType) {
        if (mediaType.endsWith("zstd")) {
            return Compression.ZSTD;
        }
        return mediaType.endsWith("gzip") ? Compression.GZIP : Compression.NONE;
    }
}
