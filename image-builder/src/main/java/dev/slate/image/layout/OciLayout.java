package dev.slate.image.layout;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slate.image.config.ImageFolders;
import dev.slate.tree.Digest;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The folder of blobs and its index, as the OCI image layout says. A blob appears under its digest only when all its
 * bytes are on the disk. Thread-safe.
 */
@Singleton
public class OciLayout {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String REFERENCE = "org.opencontainers.image.ref.name";

    private final ImageFolders folders;
    private final ReentrantLock indexLock = new ReentrantLock();

    public OciLayout(ImageFolders folders) {
        this.folders = folders;
    }

    /** Where the blob is or will be. */
    public Path path(Digest digest) {
        return folders.oci().resolve("blobs/sha256").resolve(digest.hex());
    }

    public boolean has(Digest digest) {
        return Files.exists(path(digest));
    }

    public byte[] read(Digest digest) throws IOException {
        return Files.readAllBytes(path(digest));
    }

    /** Stores a small document. */
    public Digest write(byte[] document) throws IOException {
        return write(
                out -> {
                    out.write(document);
                    return Digest.of(document);
                },
                Function.identity());
    }

    /** Stores what the source writes, under the digest that it answers; nothing stays when it fails. */
    public <T> T write(BlobSource<T> source, Function<T, Digest> digestOf) throws IOException {
        Path unfinished = folders.unfinished();
        try {
            T result;
            try (FileChannel file =
                            FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                    OutputStream out = Channels.newOutputStream(file)) {
                result = source.writeTo(out);
                file.force(true);
            }
            publish(unfinished, path(digestOf.apply(result)));
            return result;
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /** Writes the bytes of a blob and answers what is known of it then. */
    @FunctionalInterface
    public interface BlobSource<T> {
        T writeTo(OutputStream out) throws IOException;
    }

    /** Names a manifest in the index, so that other tools find it; a name has one manifest. */
    void name(Digest manifest, long size, String mediaType, String name) throws IOException {
        indexLock.lock();
        try {
            ObjectNode index = JSON.createObjectNode().put("schemaVersion", 2);
            index.put("mediaType", "application/vnd.oci.image.index.v1+json");
            ArrayNode manifests = index.putArray("manifests");
            for (JsonNode entry : readIndex().path("manifests")) {
                if (!entry.path("annotations").path(REFERENCE).asText().equals(name)) {
                    manifests.add(entry);
                }
            }
            ObjectNode added = manifests.addObject().put("mediaType", mediaType);
            added.put("digest", manifest.toString()).put("size", size);
            added.putObject("annotations").put(REFERENCE, name);
            replace("index.json", JSON.writeValueAsBytes(index));
            if (!Files.exists(folders.oci().resolve("oci-layout"))) {
                replace(
                        "oci-layout",
                        JSON.writeValueAsBytes(JSON.createObjectNode().put("imageLayoutVersion", "1.0.0")));
            }
        } finally {
            indexLock.unlock();
        }
    }

    private JsonNode readIndex() throws IOException {
        Path index = folders.oci().resolve("index.json");
        return Files.exists(index) ? JSON.readTree(Files.readAllBytes(index)) : JSON.createObjectNode();
    }

    private void replace(String name, byte[] content) throws IOException {
        Path unfinished = folders.unfinished();
        try (FileChannel file = FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                OutputStream out = Channels.newOutputStream(file)) {
            out.write(content);
            file.force(true);
        }
        publish(unfinished, folders.oci().resolve(name));
    }

    private static void publish(Path unfinished, Path target) throws IOException {
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        Path folder = target.getParent();
        if (folder != null) {
            try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
                directory.force(true);
            }
        }
    }
}
