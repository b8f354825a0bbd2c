package dev.slate.controlplane.router;

import dev.slate.common.db.Transactions;
import dev.slate.common.grpc.PageRequest;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Keeps gateway keys in PostgreSQL. */
@Singleton
class DatabaseGatewayKeyStore implements GatewayKeyStore {
    private final Transactions transactions;

    DatabaseGatewayKeyStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public void add(GatewayKey key, String createdBy) {
        transactions.run(session -> session.insert(GatewayKeyRow.of(key, createdBy)));
    }

    @Override
    public Optional<GatewayKey> find(String hash) {
        return transactions
                .call(session -> session.get(GatewayKeyRow.class, hash))
                .map(GatewayKeyRow::toKey);
    }

    @Override
    public List<GatewayKey> list(String environment, PageRequest page) {
        return transactions
                .get(session -> session.createSelectionQuery(
                                "from GatewayKeyRow where environment = :environment and hash > :after order by hash",
                                GatewayKeyRow.class)
                        .setParameter("environment", environment)
                        .setParameter("after", page.after())
                        .setMaxResults(page.fetch())
                        .getResultList())
                .stream()
                .map(GatewayKeyRow::toKey)
                .toList();
    }

    @Override
    public boolean revoke(String environment, String hash, Instant now) {
        int rows = transactions.get(
                session -> session.createMutationQuery("update GatewayKeyRow set revokedAt = coalesce(revokedAt, :now)"
                                + " where environment = :environment and hash = :hash")
                        .setParameter("now", now)
                        .setParameter("environment", environment)
                        .setParameter("hash", hash)
                        .executeUpdate());
        return rows == 1;
    }
}
