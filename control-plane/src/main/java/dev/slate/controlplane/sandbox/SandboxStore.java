package dev.slate.controlplane.sandbox;

import dev.slate.common.db.Transactions;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.TimeCursor;
import dev.slate.controlplane.policy.Grant;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.runtime.SandboxId;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.hibernate.LockMode;
import org.hibernate.exception.ConstraintViolationException;
import org.hibernate.reactive.mutiny.Mutiny;

/** Keeps sandboxes in PostgreSQL. */
@Singleton
class SandboxStore implements SandboxRecords {
    private final Transactions transactions;

    SandboxStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public Sandbox create(Sandbox wanted, CreationRequest request) {
        try {
            transactions.run(session -> session.insert(SandboxRow.of(wanted, request)));
            return wanted;
        } catch (RuntimeException failure) {
            if (!isUniqueViolation(failure)) {
                throw failure;
            }
            return earlier(wanted, request).orElseThrow(() -> taken(wanted, failure));
        }
    }

    @Override
    public Optional<Sandbox> find(SandboxId id) {
        return transactions
                .call(session -> session.get(SandboxRow.class, id.value()))
                .map(SandboxRow::toSandbox);
    }

    @Override
    public Optional<Sandbox> find(String environment, SandboxId id) {
        return find(id).filter(sandbox -> sandbox.environment().equals(environment));
    }

    @Override
    public Optional<Sandbox> findLive(String environment, String name) {
        return one("from SandboxRow where environment = ?1 and name = ?2 and endedAt is null", environment, name);
    }

    @Override
    public Optional<Sandbox> findLatest(String environment, String name) {
        return one("from SandboxRow where environment = ?1 and name = ?2 order by createdAt desc", environment, name);
    }

    @Override
    public List<Sandbox> list(String environment, boolean ended, TimeCursor after, int limit) {
        return many(session -> session.createSelectionQuery("""
                        from SandboxRow where environment = ?1 and (?2 = true or endedAt is null)
                        and (createdAt < ?3 or (createdAt = ?3 and id > ?4)) order by createdAt desc, id
                        """, SandboxRow.class)
                .setParameter(1, environment)
                .setParameter(2, ended)
                .setParameter(3, after.time())
                .setParameter(4, after.id())
                .setMaxResults(limit)
                .getResultList());
    }

    @Override
    public List<Sandbox> unreleased() {
        return many(session -> session.createSelectionQuery(
                        "from SandboxRow where released = false order by createdAt", SandboxRow.class)
                .getResultList());
    }

    @Override
    public Sandbox requestEnd(SandboxId id, End end) {
        return transactions
                .get(session -> session.createMutationQuery("""
                                update SandboxRow set desired = 'ENDED', observed = 'TERMINATING', endCause = ?1,
                                endMessage = ?2 where id = ?3 and desired = 'RUNNING'
                                """)
                        .setParameter(1, end.cause().name())
                        .setParameter(2, end.message())
                        .setParameter(3, id.value())
                        .executeUpdate()
                        .chain(() -> session.get(SandboxRow.class, id.value())))
                .toSandbox();
    }

    @Override
    public List<Sandbox> endExpired() {
        List<String> expired = transactions.get(session -> session.createNativeQuery(
                        "select id from sandbox where desired = 'RUNNING' and expires_at <= now()", String.class)
                .getResultList());
        List<Sandbox> ending = new ArrayList<>();
        expired.forEach(id -> ending.add(requestEnd(new SandboxId(id), new End(Cause.LIFETIME, "lifetime over"))));
        return ending;
    }

    @Override
    public Sandbox replacePolicy(SandboxId id, NetworkPolicy policy) {
        return transactions
                .get(session -> session.createMutationQuery("""
                                update SandboxRow set policy = ?1, grants = ?2, grantsUntil = null,
                                policyGeneration = policyGeneration + 1 where id = ?3 and desired = 'RUNNING'
                                """)
                        .setParameter(1, SandboxRow.encode(policy))
                        .setParameter(2, new byte[0])
                        .setParameter(3, id.value())
                        .executeUpdate()
                        .chain(() -> session.get(SandboxRow.class, id.value())))
                .toSandbox();
    }

    @Override
    public Sandbox grant(SandboxId id, String entry, Duration duration, String by) {
        return changeGrants(
                id,
                (grants, now) -> Stream.concat(
                                grants.stream().filter(grant -> !grant.entry().equals(entry)),
                                Stream.of(new Grant(entry, now.plus(duration), by)))
                        .toList());
    }

    @Override
    public List<Sandbox> endGrants() {
        List<String> over = transactions.get(session -> session.createNativeQuery(
                        "select id from sandbox where desired = 'RUNNING' and grants_until <= now()", String.class)
                .getResultList());
        return over.stream()
                .map(id -> changeGrants(
                        new SandboxId(id),
                        (grants, now) -> grants.stream()
                                .filter(grant -> grant.expiresAt().isAfter(now))
                                .toList()))
                .toList();
    }

    /** Holds the row meanwhile, so that two changes at once are both kept. */
    private Sandbox changeGrants(SandboxId id, BiFunction<List<Grant>, Instant, List<Grant>> change) {
        return transactions
                .get(session -> session.get(SandboxRow.class, id.value(), LockMode.PESSIMISTIC_WRITE)
                        .chain(row -> session.createNativeQuery(
                                        "select cast(extract(epoch from now()) * 1000 as bigint)", Long.class)
                                .getSingleResult()
                                .chain(millis -> {
                                    row.setGrants(change.apply(row.grants(), Instant.ofEpochMilli(millis)));
                                    row.policyGeneration++;
                                    return session.update(row).replaceWith(row);
                                })))
                .toSandbox();
    }

    @Override
    public void building(SandboxId id) {
        transactions.run(session -> session.createMutationQuery(
                        "update SandboxRow set observed = 'BUILDING' where id = ?1 and desired = 'RUNNING'")
                .setParameter(1, id.value())
                .executeUpdate());
    }

    @Override
    public void running(SandboxId id, SandboxState.Running running, Instant expiresAt) {
        transactions.run(session -> session.createMutationQuery("""
                        update SandboxRow set observed = 'RUNNING', imageDigest = ?1, startedAt = ?2, expiresAt = ?3
                        where id = ?4 and desired = 'RUNNING'
                        """)
                .setParameter(1, running.imageDigest())
                .setParameter(2, running.startedAt())
                .setParameter(3, expiresAt)
                .setParameter(4, id.value())
                .executeUpdate());
    }

    @Override
    public void ended(SandboxId id, SandboxState.Ended ended, List<MountResult> results) {
        transactions.run(session -> session.createMutationQuery("""
                        update SandboxRow set observed = ?1, endedAt = ?2, mountResults = ?3
                        where id = ?4 and endedAt is null
                        """)
                .setParameter(1, ended.word())
                .setParameter(2, ended.endedAt())
                .setParameter(3, SandboxRow.encode(results))
                .setParameter(4, id.value())
                .executeUpdate());
    }

    @Override
    public void released(SandboxId id) {
        transactions.run(session -> session.createMutationQuery("update SandboxRow set released = true where id = ?1")
                .setParameter(1, id.value())
                .executeUpdate());
    }

    private Optional<Sandbox> earlier(Sandbox wanted, CreationRequest request) {
        return transactions
                .call(session -> session.createSelectionQuery(
                                "from SandboxRow where environment = ?1 and requestId = ?2", SandboxRow.class)
                        .setParameter(1, wanted.environment())
                        .setParameter(2, request.requestId())
                        .getSingleResultOrNull())
                .map(row -> {
                    if (!row.specDigest.equals(request.specDigest())) {
                        throw new PlatformException(
                                ErrorCode.IDEMPOTENCY_CONFLICT,
                                "request id %s was used with another specification".formatted(request.requestId()));
                    }
                    return row.toSandbox();
                });
    }

    private Optional<Sandbox> one(String query, String environment, String name) {
        return transactions
                .call(session -> session.createSelectionQuery(query, SandboxRow.class)
                        .setParameter(1, environment)
                        .setParameter(2, name)
                        .setMaxResults(1)
                        .getSingleResultOrNull())
                .map(SandboxRow::toSandbox);
    }

    private List<Sandbox> many(java.util.function.Function<Mutiny.StatelessSession, Uni<List<SandboxRow>>> query) {
        return transactions.get(query).stream().map(SandboxRow::toSandbox).toList();
    }

    private static PlatformException taken(Sandbox wanted, RuntimeException cause) {
        return new PlatformException(
                ErrorCode.ALREADY_EXISTS,
                "a live sandbox is named %s: terminate it first, or choose another name".formatted(wanted.label()),
                cause);
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
