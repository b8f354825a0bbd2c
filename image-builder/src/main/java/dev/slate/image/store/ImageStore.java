package dev.slate.image.store;

import dev.slate.common.db.Transactions;
import dev.slate.tree.Digest;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;

/** Remembers which image a recipe made. */
@Singleton
public class ImageStore {
    private final Transactions transactions;

    ImageStore(Transactions transactions) {
        this.transactions = transactions;
    }

    /** The image of a recipe: one query by primary key. */
    public Optional<BuiltImage> find(String environment, String recipeDigest) {
        return transactions
                .call(session -> session.get(ImageRow.class, new ImageRow.Key(environment, recipeDigest)))
                .map(ImageStore::toImage);
    }

    /** The image with the manifest or recipe digest. */
    public Optional<BuiltImage> findByAnyDigest(String environment, String digest) {
        return transactions
                .get(session -> session.createQuery("""
                                from Image i where i.key.environment = :environment
                                and (i.manifestDigest = :digest or i.key.recipeDigest = :digest)
                                order by i.createdAt desc""", ImageRow.class)
                        .setParameter("environment", environment)
                        .setParameter("digest", digest)
                        .setMaxResults(1)
                        .getResultList())
                .stream()
                .findFirst()
                .map(ImageStore::toImage);
    }

    /** Images by their recipe digest, after the given one; the empty text starts at the first. */
    public List<BuiltImage> list(String environment, String after, int limit) {
        return transactions
                .get(session -> session.createQuery("""
                                from Image i where i.key.environment = :environment and i.key.recipeDigest > :after
                                order by i.key.recipeDigest""", ImageRow.class)
                        .setParameter("environment", environment)
                        .setParameter("after", after)
                        .setMaxResults(limit)
                        .getResultList())
                .stream()
                .map(ImageStore::toImage)
                .toList();
    }

    /** To be called when all blobs of the image are in the layout. */
    public void put(String environment, BuiltImage image) {
        ImageRow row = new ImageRow();
        row.key = new ImageRow.Key(environment, image.recipeDigest());
        row.manifestDigest = image.digest().toString();
        row.sizeBytes = image.sizeBytes();
        row.layers = image.layers();
        row.createdAt = image.createdAt();
        transactions.run(session -> session.upsert(row));
    }

    private static BuiltImage toImage(ImageRow row) {
        return new BuiltImage(
                Digest.parse(row.manifestDigest), row.key.recipeDigest(), row.sizeBytes, row.layers, row.createdAt);
    }
}
