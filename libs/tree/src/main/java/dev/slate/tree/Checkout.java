package dev.slate.tree;

import dev.slate.tree.posix.Directory;
import dev.slate.tree.posix.ErrnoException;
import dev.slate.tree.posix.Posix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.util.UUID;

/**
 * Makes a tree real as a farm of hard links into a pool of finished files.
 *
 * <p>Links share one inode, so the pool holds a file for each content with each set of attributes. The result must
 * only be used as the read-only lower directory of an overlay: a write would reach every other checkout. Files with
 * equal content and attributes look like hard links of each other. Safe for many threads.
 */
public final class Checkout {
    private final ContentStore bodies;
    private final Path pool;

    /** The pool must be on the file system of the checkouts; otherwise each file is copied. */
    public Checkout(ContentStore bodies, Path pool) throws IOException {
        this.bodies = bodies;
        this.pool = Files.createDirectories(pool);
    }

    /** Fills a directory that does not exist yet; on failure nothing stays. */
    public void materialise(Tree tree, Path target) throws IOException {
        var unfinished = target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID());
        try {
            write(tree, unfinished);
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Directory.deleteTree(unfinished);
        }
    }

    private void write(Tree tree, Path root) throws IOException {
        for (var line : tree.entries().entrySet()) {
            var path = root.resolve(line.getKey().value());
            switch (line.getValue()) {
                case Entry.Directory _ -> Posix.makeDirectory(path, 0700);
                case Entry.File file -> place(file, path);
                case Entry.Symlink link -> {
                    Posix.symlink(link.target(), path);
                    link.attributes().apply(path, true);
                }
            }
        }
        for (var line : tree.entries().reversed().entrySet()) {
            if (line.getValue() instanceof Entry.Directory directory) {
                directory.attributes().apply(root.resolve(line.getKey().value()), false);
            }
        }
    }

    private void place(Entry.File file, Path target) throws IOException {
        var pooled = pooled(file);
        try {
            Posix.link(pooled, target);
        } catch (ErrnoException e) {
            switch (e.errno()) {
                case ErrnoException.EMLINK, ErrnoException.EXDEV -> fill(file, target);
                default -> throw e;
            }
        }
    }

    private Path pooled(Entry.File file) throws IOException {
        var key = TreeFormat.digest(file);
        var path = pool.resolve(key.hex().substring(0, 2)).resolve(key.hex());
        if (!Files.exists(path)) {
            Files.createDirectories(path.getParent());
            var unfinished = pool.resolve(UUID.randomUUID().toString());
            try {
                fill(file, unfinished);
                Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(unfinished);
            }
        }
        return path;
    }

    /** Copies the body and checks it on the way: a damaged body must not become a readable file. */
    private void fill(Entry.File file, Path target) throws IOException {
        Digest copied;
        try (var body = new DigestInputStream(bodies.get(file.content()), Digest.sha256());
                var out = Files.newOutputStream(target, StandardOpenOption.CREATE_NEW)) {
            body.transferTo(out);
            copied = Digest.of(body.getMessageDigest());
        } catch (NoSuchFileException e) {
            throw new IOException("body " + file.content() + " is missing", e);
        }
        if (!copied.equals(file.content())) {
            Files.delete(target);
            throw new IOException("body " + file.content() + " is damaged");
        }
        file.attributes().apply(target, false);
    }
}
