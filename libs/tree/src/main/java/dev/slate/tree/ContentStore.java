package dev.slate.tree;

import dev.slate.tree.posix.Posix;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * Bodies in a directory, each named by its digest; safe for many threads and processes at once.
 *
 * <p>A body appears under its name only when all its bytes are on the disk, and never changes afterwards.
 */
public final class ContentStore implements BodySink {
    private static final int FEW = 8;

    private final Path bodies;
    private final Path incoming;

    private ContentStore(Path root) {
        this.bodies = root.resolve("sha256");
        this.incoming = root.resolve("incoming");
    }

    /** Opens the store, made when absent. */
    public static ContentStore open(Path root) throws IOException {
        var store = new ContentStore(root);
        Files.createDirectories(store.bodies);
        Files.createDirectories(store.incoming);
        return store;
    }

    /** Stores one body; durable when this returns. */
    @Override
    public Stored put(InputStream body) throws IOException {
        try (var batch = new Batch()) {
            var stored = batch.put(body);
            batch.finish();
            return stored;
        }
    }

    public Digest put(byte[] body) throws IOException {
        return put(new ByteArrayInputStream(body)).digest();
    }

    public boolean has(Digest digest) {
        return Files.exists(path(digest));
    }

    /** The length of a body, empty when it is absent. */
    public OptionalLong size(Digest digest) {
        try {
            return OptionalLong.of(Files.size(path(digest)));
        } catch (NoSuchFileException _) {
            return OptionalLong.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a body; {@link NoSuchFileException} when it is absent. */
    public InputStream get(Digest digest) throws IOException {
        return Files.newInputStream(path(digest));
    }

    /** Reads a small body whole and checks it. */
    public byte[] read(Digest digest) throws IOException {
        var bytes = Files.readAllBytes(path(digest));
        if (!Digest.of(bytes).equals(digest)) {
            throw new IOException("body " + digest + " is damaged");
        }
        return bytes;
    }

    /** Removes a body; nothing happens when it is absent. */
    public void delete(Digest digest) throws IOException {
        Files.deleteIfExists(path(digest));
    }

    /** Removes what writers that are gone left unfinished; for the start of the only process that writes. */
    public void removeUnfinished() throws IOException {
        try (var files = Files.newDirectoryStream(incoming)) {
            for (var file : files) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Many bodies that become durable together, for far fewer disk flushes. */
    public Batch batch() {
        return new Batch();
    }

    private Path path(Digest digest) {
        return bodies.resolve(digest.hex().substring(0, 2)).resolve(digest.hex());
    }

    /** Bodies on their way in: visible and durable after {@link #finish}, gone after a close without it. */
    public final class Batch implements BodySink, AutoCloseable {
        private final Map<Digest, Path> pending = new LinkedHashMap<>();

        private Batch() {}

        @Override
        public Stored put(InputStream body) throws IOException {
            var file = incoming.resolve(UUID.randomUUID().toString());
            boolean kept = false;
            try {
                var stored = copy(body, file);
                if (!has(stored.digest())) {
                    kept = pending.putIfAbsent(stored.digest(), file) == null;
                }
                return stored;
            } finally {
                if (!kept) {
                    Files.deleteIfExists(file);
                }
            }
        }

        private static Stored copy(InputStream body, Path file) throws IOException {
            var state = Digest.sha256();
            long size = 0;
            try (var out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                var buffer = new byte[65_536];
                for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
                    state.update(buffer, 0, n);
                    size += n;
                    for (var bytes = ByteBuffer.wrap(buffer, 0, n); bytes.hasRemaining(); ) {
                        out.write(bytes);
                    }
                }
            }
            return new Stored(Digest.of(state), size);
        }

        /** Makes everything durable, then visible. */
        public void finish() throws IOException {
            for (var file : pending.values()) {
                Posix.chmod(file, 0444);
            }
            flush(pending.values());
            var shards = new LinkedHashSet<Path>();
            for (var entry : pending.entrySet()) {
                var target = path(entry.getKey());
                Files.createDirectories(target.getParent());
                Files.move(entry.getValue(), target, StandardCopyOption.ATOMIC_MOVE);
                shards.add(target.getParent());
            }
            flush(shards);
            pending.clear();
        }

        /** A few files one by one; many with one flush of the file system. */
        private void flush(Collection<Path> paths) throws IOException {
            if (paths.size() > FEW) {
                Posix.syncFileSystem(incoming);
                return;
            }
            for (var path : paths) {
                try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
                    channel.force(true);
                }
            }
        }

        @Override
        public void close() throws IOException {
            for (var file : pending.values()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
