package dev.slate.controlplane.secret;

import dev.slate.common.db.Transactions;
import dev.slate.common.grpc.PageRequest;
import dev.slate.common.id.IdSource;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny;

/** Keeps the envelopes of secrets in PostgreSQL. */
@Singleton
class DatabaseSecretStore implements SecretStore {
    private final Transactions transactions;
    private final IdSource ids;

    DatabaseSecretStore(Transactions transactions, IdSource ids) {
        this.transactions = transactions;
        this.ids = ids;
    }

    @Override
    public Secret put(String environment, SecretName name, byte[] envelope, Instant now) {
        String id = ids.uuid();
        return transactions
                .get(session -> session.createNativeQuery(
                                "insert into secret (id, environment, name, envelope, created_at, updated_at)"
                                        + " values (:id, :environment, :name, :envelope, :now, :now)"
                                        + " on conflict (environment, name) do update"
                                        + " set envelope = excluded.envelope, updated_at = excluded.updated_at")
                        .setParameter("id", id)
                        .setParameter("environment", environment)
                        .setParameter("name", name.value())
                        .setParameter("envelope", envelope)
                        .setParameter("now", now)
                        .executeUpdate()
                        .chain(_ -> row(session, environment, name)))
                .toSecret();
    }

    @Override
    public Optional<Sealed> find(String environment, SecretName name) {
        return transactions
                .call(session -> row(session, environment, name))
                .map(row -> new Sealed(row.toSecret(), row.envelope));
    }

    @Override
    public List<Secret> list(String environment, PageRequest page) {
        return transactions
                .get(session -> session.createSelectionQuery(
                                "from SecretRow where environment = :environment and name > :after order by name",
                                SecretRow.class)
                        .setParameter("environment", environment)
                        .setParameter("after", page.after())
                        .setMaxResults(page.fetch())
                        .getResultList())
                .stream()
                .map(SecretRow::toSecret)
                .toList();
    }

    @Override
    public boolean delete(String environment, SecretName name) {
        int rows = transactions.get(session -> session.createMutationQuery(
                        "delete from SecretRow where environment = :environment and name = :name")
                .setParameter("environment", environment)
                .setParameter("name", name.value())
                .executeUpdate());
        return rows == 1;
    }

    private static Uni<SecretRow> row(Mutiny.StatelessSession session, String environment, SecretName name) {
        return session.createSelectionQuery(
                        "from SecretRow where environment = :environment and name = :name", SecretRow.class)
                .setParameter("environment", environment)
                .setParameter("name", name.value())
                .getSingleResultOrNull();
    }
}
