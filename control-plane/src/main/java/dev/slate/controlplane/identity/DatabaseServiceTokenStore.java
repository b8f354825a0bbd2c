package dev.slate.controlplane.identity;

import dev.slate.common.db.Transactions;
import dev.slate.common.grpc.PageRequest;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Keeps service tokens in PostgreSQL. */
@Singleton
class DatabaseServiceTokenStore implements ServiceTokenStore {
    private final Transactions transactions;

    DatabaseServiceTokenStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public void add(ServiceToken token, String secretHash, String createdBy) {
        transactions.run(session -> session.insert(ServiceTokenRow.of(token, secretHash, createdBy)));
    }

    @Override
    public Optional<Stored> find(String clientId) {
        return transactions
                .call(session -> session.get(ServiceTokenRow.class, clientId))
                .map(row -> new Stored(row.toToken(), row.secretHash));
    }

    @Override
    public List<ServiceToken> list(String environment, PageRequest page) {
        return transactions
                .get(session -> session.createSelectionQuery(
                                "from ServiceTokenRow where environment = :environment and clientId > :after"
                                        + " order by clientId",
                                ServiceTokenRow.class)
                        .setParameter("environment", environment)
                        .setParameter("after", page.after())
                        .setMaxResults(page.fetch())
                        .getResultList())
                .stream()
                .map(ServiceTokenRow::toToken)
                .toList();
    }

    @Override
    public boolean revoke(String environment, String clientId, Instant now) {
        int rows = transactions.get(session -> session.createMutationQuery(
                        "update ServiceTokenRow set revokedAt = coalesce(revokedAt, :now)"
                                + " where environment = :environment and clientId = :clientId")
                .setParameter("now", now)
                .setParameter("environment", environment)
                .setParameter("clientId", clientId)
                .executeUpdate());
        return rows == 1;
    }

    @Override
    public Set<String> revoked() {
        return Set.copyOf(transactions.get(session -> session.createSelectionQuery(
                        "select clientId from ServiceTokenRow where revokedAt is not null", String.class)
                .getResultList()));
    }
}
