package dev.slate.controlplane.router;

import dev.slate.common.db.Transactions;
import dev.slate.common.id.IdSource;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Keeps connections in PostgreSQL. */
@Singleton
class DatabaseConnectionStore implements ConnectionStore {
    private final Transactions transactions;
    private final IdSource ids;

    DatabaseConnectionStore(Transactions transactions, IdSource ids) {
        this.transactions = transactions;
        this.ids = ids;
    }

    @Override
    public Stored put(String environment, Connection connection, Optional<Envelope> key, Instant now) {
        ConnectionRow row = new ConnectionRow();
        row.id = ids.uuid();
        row.environment = environment;
        row.name = connection.name();
        row.baseUrl = connection.baseUrl().toString();
        row.modelPrefix = connection.modelPrefix();
        row.keyEnvelope = key.map(Envelope::bytes).orElse(null);
        row.createdAt = now;
        return transactions
                .get(session -> session.createSelectionQuery(
                                "from ConnectionRow where environment = :environment and name = :name",
                                ConnectionRow.class)
                        .setParameter("environment", environment)
                        .setParameter("name", connection.name())
                        .getSingleResultOrNull()
                        .chain(old -> {
                            if (old == null) {
                                return session.insert(row);
                            }
                            row.id = old.id;
                            row.createdAt = old.createdAt;
                            return session.update(row);
                        })
                        .replaceWith(row))
                .toStored();
    }

    @Override
    public List<Stored> list(String environment) {
        return transactions
                .get(session -> session.createSelectionQuery(
                                "from ConnectionRow where environment = :environment order by name",
                                ConnectionRow.class)
                        .setParameter("environment", environment)
                        .getResultList())
                .stream()
                .map(ConnectionRow::toStored)
                .toList();
    }

    @Override
    public boolean delete(String environment, String name) {
        int rows = transactions.get(session -> session.createMutationQuery(
                        "delete from ConnectionRow where environment = :environment and name = :name")
                .setParameter("environment", environment)
                .setParameter("name", name)
                .executeUpdate());
        return rows == 1;
    }
}
