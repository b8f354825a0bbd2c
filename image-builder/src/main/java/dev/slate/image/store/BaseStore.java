package dev.slate.image.store;

import dev.slate.common.db.Transactions;
import dev.slate.tree.Digest;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Optional;

/** Remembers which image a base meant. Bases belong to no environment: they are the same for all. */
@Singleton
public class BaseStore {
    private final Transactions transactions;

    BaseStore(Transactions transactions) {
        this.transactions = transactions;
    }

    /** An image and when it was found to be what a base means. */
    public record ResolvedBase(Digest digest, Instant resolvedAt) {}

    public Optional<ResolvedBase> find(String key) {
        return transactions
                .call(session -> session.get(BaseRow.class, key))
                .map(row -> new ResolvedBase(Digest.parse(row.manifestDigest), row.resolvedAt));
    }

    public void put(String key, ResolvedBase base) {
        BaseRow row = new BaseRow();
        row.key = key;
        row.manifestDigest = base.digest().toString();
        row.resolvedAt = base.resolvedAt();
        transactions.run(session -> session.upsert(row));
    }
}
