package dev.slate.image.store;

import dev.slate.common.db.Transactions;
import dev.slate.image.recipe.StepKey;
import dev.slate.tree.Digest;
import dev.slate.tree.layer.Compression;
import dev.slate.tree.layer.Layer;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Optional;

/** Remembers which layer a step made. */
@Singleton
public class StepStore {
    private final Transactions transactions;
    private final Clock clock;

    StepStore(Transactions transactions, Clock clock) {
        this.transactions = transactions;
        this.clock = clock;
    }

    public Optional<Layer> find(String environment, StepKey key) {
        return transactions
                .call(session -> session.get(StepRow.class, new StepRow.Key(environment, key.value())))
                .map(row -> new Layer(
                        Digest.parse(row.diffId),
                        Digest.parse(row.blobDigest),
                        row.blobSize,
                        Compression.valueOf(row.compression)));
    }

    /** To be called when the blob of the layer is in the layout. */
    public void put(String environment, StepKey key, Layer layer) {
        StepRow row = new StepRow();
        row.key = new StepRow.Key(environment, key.value());
        row.diffId = layer.diffId().toString();
        row.blobDigest = layer.digest().toString();
        row.blobSize = layer.size();
        row.compression = layer.compression().name();
        row.createdAt = clock.instant();
        transactions.run(session -> session.upsert(row));
    }
}
