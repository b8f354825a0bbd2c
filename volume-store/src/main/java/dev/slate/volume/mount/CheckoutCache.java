package dev.slate.volume.mount;

import dev.slate.tree.Checkout;
import dev.slate.tree.Digest;
import dev.slate.tree.Tree;
import dev.slate.tree.posix.Directory;
import dev.slate.volume.body.BodyStores;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Checkouts of versions on this node, shared by all mounts of a version, the idle ones kept for the next. The cache is
 * not flushed to the disk, so it lives under the boot id and starts empty after a reboot. Thread-safe.
 */
final class CheckoutCache {
    private static final int IDLE = 8;

    private final BodyStores bodies;
    private final Path root;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Path, Integer> uses = new HashMap<>();
    private final Map<Path, Long> releases = new HashMap<>();
    private final ConcurrentHashMap<Path, ReentrantLock> building = new ConcurrentHashMap<>();

    private long releaseCount;

    CheckoutCache(BodyStores bodies) throws IOException {
        this.bodies = bodies;
        Path cache = bodies.home().resolve("cache");
        this.root = Files.createDirectories(cache.resolve(
                Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip()));
        for (Path other : children(cache)) {
            if (!other.equals(root)) {
                Directory.deleteTree(other);
            }
        }
    }

    /** The directory of a tree, made when absent; it stays until {@link #release}. */
    Path acquire(String environment, Digest digest, Supplier<Tree> tree) throws IOException {
        Path path = path(environment, digest);
        use(path);
        ReentrantLock builder = building.computeIfAbsent(path, _ -> new ReentrantLock());
        builder.lock();
        try {
            if (!Files.exists(path)) {
                Files.createDirectories(trees(environment));
                new Checkout(bodies.of(environment), root.resolve(environment).resolve("pool"))
                        .materialise(tree.get(), path);
            }
            return path;
        } catch (IOException | RuntimeException e) {
            release(environment, digest);
            throw e;
        } finally {
            builder.unlock();
        }
    }

    /** Counts a mount that an earlier process made. */
    void adopt(String environment, Digest digest) {
        use(path(environment, digest));
    }

    void release(String environment, Digest digest) throws IOException {
        Path path = path(environment, digest);
        lock.lock();
        try {
            uses.computeIfPresent(path, (_, count) -> count == 1 ? null : count - 1);
            releases.put(path, ++releaseCount);
        } finally {
            lock.unlock();
        }
        evict(trees(environment));
    }

    private void use(Path path) {
        lock.lock();
        try {
            uses.merge(path, 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    /** Takes the idle checkouts beyond the newest few away, out of sight first. */
    private void evict(Path checkouts) throws IOException {
        List<Path> doomed = new ArrayList<>();
        lock.lock();
        try {
            List<Path> idle = new ArrayList<>(children(checkouts));
            idle.removeIf(path ->
                    uses.containsKey(path) || path.getFileName().toString().startsWith("."));
            idle.sort(Comparator.comparing(path -> releases.getOrDefault(path, 0L)));
            for (Path path : idle.subList(0, Math.max(0, idle.size() - IDLE))) {
                Path away = path.resolveSibling(".old-" + UUID.randomUUID());
                Files.move(path, away);
                releases.remove(path);
                doomed.add(away);
            }
        } finally {
            lock.unlock();
        }
        for (Path path : doomed) {
            Directory.deleteTree(path);
        }
    }

    private Path path(String environment, Digest digest) {
        return trees(environment).resolve(digest.hex());
    }

    private Path trees(String environment) {
        return root.resolve(BodyStores.checked(environment)).resolve("trees");
    }

    private static List<Path> children(Path directory) throws IOException {
        List<Path> children = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
                stream.forEach(children::add);
            }
        }
        return children;
    }
}
