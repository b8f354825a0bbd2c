package dev.slate.image.upload;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.image.config.ImageConfig;
import dev.slate.image.config.ImageFolders;
import dev.slate.image.recipe.AddedFile;
import dev.slate.image.recipe.Fingerprint;
import dev.slate.tree.Digest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.util.Collection;
import java.util.List;

/**
 * The bytes of local files, by digest. Each environment has its own: nobody learns what others have uploaded.
 * Thread-safe.
 */
@Singleton
public class UploadedFiles {
    private static final int ENVIRONMENT_LENGTH = 16;

    private final ImageFolders folders;
    private final long limit;

    @Inject
    UploadedFiles(ImageFolders folders, ImageConfig config) {
        this(folders, config.fileLimit().asLongValue());
    }

    /** Takes files up to a number of bytes. */
    public UploadedFiles(ImageFolders folders, long limit) {
        this.folders = folders;
        this.limit = limit;
    }

    /** Which of the digests have not been uploaded, each once. */
    public List<String> missing(String environment, Collection<String> digests) {
        return digests.stream()
                .map(AddedFile.Content.Body::checkSha256)
                .distinct()
                .filter(sha256 -> !Files.exists(path(environment, sha256)))
                .toList();
    }

    /** An uploaded file. */
    public InputStream open(String environment, String sha256) throws IOException {
        return Files.newInputStream(path(environment, sha256));
    }

    /** Bytes of an uploaded file; a missing one is refused with what to do. */
    public long size(String environment, String sha256) {
        Path path = path(environment, sha256);
        try {
            return Files.size(path);
        } catch (IOException e) {
            throw new PlatformException(
                    ErrorCode.FAILED_PRECONDITION,
                    "file " + sha256 + " is not uploaded (expected: PUT /v1/images/files/" + sha256
                            + " before the build)",
                    e);
        }
    }

    /** Stores the body if it is what its digest says. */
    public void put(String environment, String sha256, InputStream body) {
        Path target = path(environment, AddedFile.Content.Body.checkSha256(sha256));
        Path unfinished = folders.unfinished();
        try {
            Digest actual;
            try (FileChannel file =
                    FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                actual = copy(body, Channels.newOutputStream(file));
                file.force(true);
            }
            if (!actual.hex().equals(sha256)) {
                throw PlatformException.invalid("sha256 of the body", actual.hex(), sha256);
            }
            Files.createDirectories(target.resolveSibling("."));
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("upload " + sha256, e);
        } finally {
            folders.discard(unfinished);
        }
    }

    private Digest copy(InputStream body, OutputStream out) throws IOException {
        DigestOutputStream digested = new DigestOutputStream(out, Digest.sha256());
        byte[] buffer = new byte[65_536];
        long size = 0;
        for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
            size += n;
            if (size > limit) {
                throw new PlatformException(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "file: more than " + limit + " bytes (see slate.image.file-limit)");
            }
            digested.write(buffer, 0, n);
        }
        return Digest.of(digested.getMessageDigest());
    }

    /** Names of environments are not file names. */
    private Path path(String environment, String sha256) {
        String folder = Digest.parse(
                        new Fingerprint("environment").add(environment).digest())
                .hex()
                .substring(0, ENVIRONMENT_LENGTH);
        return folders.uploads().resolve(folder).resolve(sha256.substring(0, 2)).resolve(sha256);
    }
}
