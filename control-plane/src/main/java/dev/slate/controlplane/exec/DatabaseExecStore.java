package dev.slate.controlplane.exec;

import dev.slate.common.db.Transactions;
import dev.slate.common.grpc.TimeCursor;
import dev.slate.controlplane.runtime.SandboxId;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.exception.ConstraintViolationException;
import org.hibernate.reactive.mutiny.Mutiny;

/**
 * Keeps the records of commands in PostgreSQL. Starts and ends do not wait for the disk, a trigger of the table sees to
 * that: what a crash of the database takes back the sandbox still knows.
 */
@Singleton
class DatabaseExecStore implements ExecStore {
    private final Transactions transactions;

    DatabaseExecStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public boolean add(ExecRecord command) {
        try {
            transactions.runStatement(session -> session.insert(ExecRow.of(command)));
            return true;
        } catch (RuntimeException failure) {
            if (isUniqueViolation(failure)) {
                return false;
            }
            throw failure;
        }
    }

    @Override
    public void remove(ExecKey key) {
        transactions.run(session -> session.createMutationQuery("delete from ExecRow where key = ?1")
                .setParameter(1, ExecRow.Key.of(key))
                .executeUpdate());
    }

    @Override
    public Optional<ExecRecord> find(ExecKey key) {
        return transactions
                .call(session -> session.get(ExecRow.class, ExecRow.Key.of(key)))
                .map(ExecRow::toRecord);
    }

    @Override
    public List<ExecRecord> list(SandboxId sandbox, boolean runningOnly, TimeCursor after, int limit) {
        return transactions
                .get(session -> session.createSelectionQuery("""
                                from ExecRow where key.sandbox = ?1 and (?2 = false or state = 'RUNNING')
                                and (startedAt < ?3 or (startedAt = ?3 and key.id > ?4)) order by startedAt desc, key.id
                                """, ExecRow.class)
                        .setParameter(1, sandbox.value())
                        .setParameter(2, runningOnly)
                        .setParameter(3, after.time())
                        .setParameter(4, after.id())
                        .setMaxResults(limit)
                        .getResultList())
                .stream()
                .map(ExecRow::toRecord)
                .toList();
    }

    @Override
    public List<ExecKey> running() {
        return transactions
                .get(session -> session.createSelectionQuery(
                                "select key from ExecRow where state = 'RUNNING'", ExecRow.Key.class)
                        .getResultList())
                .stream()
                .map(ExecRow.Key::toKey)
                .toList();
    }

    @Override
    public List<ExecKey> running(SandboxId sandbox) {
        return transactions
                .get(session -> session.createSelectionQuery(
                                "select key from ExecRow where key.sandbox = ?1 and state = 'RUNNING'",
                                ExecRow.Key.class)
                        .setParameter(1, sandbox.value())
                        .getResultList())
                .stream()
                .map(ExecRow.Key::toKey)
                .toList();
    }

    @Override
    public void end(Map<ExecKey, ExecRecord.End> ends) {
        transactions.run(session -> {
            Uni<Integer> written = Uni.createFrom().item(0);
            for (var end : ends.entrySet()) {
                written = written.chain(() -> end(session, end.getKey(), end.getValue()));
            }
            return written;
        });
    }

    @Override
    public void prune(int keptPerSandbox, Duration keptAfterEnd) {
        transactions.run(session ->
                session.createNativeQuery("""
                        delete from exec e using (
                            select sandbox, id, row_number() over (partition by sandbox order by started_at desc, id) place
                            from exec where state <> 'RUNNING'
                            and sandbox in (select sandbox from exec group by sandbox having count(*) > ?1)
                        ) old where old.place > ?1 and e.sandbox = old.sandbox and e.id = old.id
                        """).setParameter(1, keptPerSandbox).executeUpdate());
        transactions.run(session -> session.createNativeQuery("""
                        delete from exec e using sandbox s
                        where s.id = e.sandbox and s.ended_at < now() - ?1 * interval '1 second'
                        """)
                .setParameter(1, keptAfterEnd.toSeconds())
                .executeUpdate());
    }

    private static Uni<Integer> end(Mutiny.StatelessSession session, ExecKey key, ExecRecord.End end) {
        String state = ExecRow.state(end.how());
        return session.createMutationQuery("""
                        update ExecRow set state = ?1, code = ?2, message = ?3, endSequence = ?4, endedAt = ?5
                        where key = ?6 and (state = 'RUNNING' or (state = 'LOST' and ?1 <> 'LOST'))
                        """)
                .setParameter(1, state)
                .setParameter(2, ExecRow.code(end.how()))
                .setParameter(3, ExecRow.message(end.how()))
                .setParameter(4, end.how().sequence())
                .setParameter(5, end.at())
                .setParameter(6, ExecRow.Key.of(key))
                .executeUpdate();
    }

    private static boolean isUniqueViolation(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConstraintViolationException) {
                return true;
            }
        }
        return false;
    }
}
