package dev.slate.controlplane.identity;

import dev.slate.common.db.Transactions;
import jakarta.inject.Singleton;
import java.time.Instant;

/** Keeps environments in PostgreSQL. */
@Singleton
class DatabaseEnvironmentStore implements EnvironmentStore {
    private final Transactions transactions;

    DatabaseEnvironmentStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public Environment findOrCreate(Environment candidate, Instant now) {
        return transactions
                .get(session -> session.createNativeQuery(
                                "insert into environment (id, team, project, name, created_at)"
                                        + " values (:id, :team, :project, :name, :now) on conflict do nothing")
                        .setParameter("id", candidate.id())
                        .setParameter("team", candidate.team())
                        .setParameter("project", candidate.project())
                        .setParameter("name", candidate.name())
                        .setParameter("now", now)
                        .executeUpdate()
                        .chain(_ -> session.createSelectionQuery(
                                        "from EnvironmentRow where team = :team and project = :project and name = :name",
                                        EnvironmentRow.class)
                                .setParameter("team", candidate.team())
                                .setParameter("project", candidate.project())
                                .setParameter("name", candidate.name())
                                .getSingleResult()))
                .toEnvironment();
    }
}
