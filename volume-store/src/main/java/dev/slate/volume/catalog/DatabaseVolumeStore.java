package dev.slate.volume.catalog;

import dev.slate.common.db.Transactions;
import dev.slate.common.grpc.PageRequest;
import dev.slate.tree.Digest;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.hibernate.LockMode;
import org.hibernate.reactive.mutiny.Mutiny;

/** Keeps volumes in PostgreSQL. The volume's row is locked while a version is appended. */
@Singleton
class DatabaseVolumeStore implements VolumeStore {
    private final Transactions transactions;

    DatabaseVolumeStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public boolean create(Volume volume) {
        return transactions.get(session -> session.createNativeQuery(
                        "insert into volume (id, environment, name, last_number, created_at)"
                                + " values (:id, :environment, :name, 0, :now)"
                                + " on conflict (environment, name) where deleted_at is null do nothing")
                .setParameter("id", volume.id())
                .setParameter("environment", volume.environment())
                .setParameter("name", volume.name().value())
                .setParameter("now", volume.createdAt())
                .executeUpdate()
                .chain(rows -> rows == 0
                        ? Uni.createFrom().item(false)
                        : session.insert(RefRow.of(volume.id(), RefRow.MAIN, 0)).replaceWith(true)));
    }

    @Override
    public Optional<Volume> find(String environment, VolumeName name) {
        return transactions
                .call(session -> session.createSelectionQuery(
                                "select v, r.version from Volume v join VolumeRef r"
                                        + " on r.key.volumeId = v.id and r.key.name = 'main'"
                                        + " where v.environment = :environment and v.name = :name"
                                        + " and v.deletedAt is null",
                                Object[].class)
                        .setParameter("environment", environment)
                        .setParameter("name", name.value())
                        .getSingleResultOrNull())
                .map(DatabaseVolumeStore::toVolume);
    }

    @Override
    public List<Volume> list(String environment, PageRequest page) {
        return transactions
                .get(session -> session.createSelectionQuery(
                                "select v, r.version from Volume v join VolumeRef r"
                                        + " on r.key.volumeId = v.id and r.key.name = 'main'"
                                        + " where v.environment = :environment and v.name > :after"
                                        + " and v.deletedAt is null order by v.name",
                                Object[].class)
                        .setParameter("environment", environment)
                        .setParameter("after", page.after())
                        .setMaxResults(page.fetch())
                        .getResultList())
                .stream()
                .map(DatabaseVolumeStore::toVolume)
                .toList();
    }

    @Override
    public boolean delete(String environment, VolumeName name, Instant now) {
        return transactions.get(session -> session.createMutationQuery("update Volume set deletedAt = :now"
                                + " where environment = :environment and name = :name and deletedAt is null")
                        .setParameter("now", now)
                        .setParameter("environment", environment)
                        .setParameter("name", name.value())
                        .executeUpdate())
                == 1;
    }

    @Override
    public Optional<Version> version(String volumeId, long number) {
        return transactions
                .call(session -> session.get(VersionRow.class, new VersionRow.Key(volumeId, number)))
                .map(VersionRow::toVersion);
    }

    @Override
    public List<Version> versions(String volumeId, long below, int limit) {
        return transactions
                .get(session -> session.createSelectionQuery(
                                "from VolumeVersion where key.volumeId = :volume and key.number < :below"
                                        + " order by key.number desc",
                                VersionRow.class)
                        .setParameter("volume", volumeId)
                        .setParameter("below", below)
                        .setMaxResults(limit)
                        .getResultList())
                .stream()
                .map(VersionRow::toVersion)
                .toList();
    }

    @Override
    public Optional<Long> ref(String volumeId, String name) {
        return transactions
                .call(session -> session.get(RefRow.class, new RefRow.Key(volumeId, name)))
                .map(row -> row.version);
    }

    @Override
    public Append append(NewVersion version) {
        return transactions.get(session -> session.get(VolumeRow.class, version.volumeId(), LockMode.PESSIMISTIC_WRITE)
                .chain(volume -> volume == null || volume.deletedAt != null
                        ? Uni.createFrom().item(new Append.Gone())
                        : repeated(session, version.volumeId(), version.commitId())
                                .chain(repeated -> repeated != null
                                        ? Uni.createFrom().item(repeated)
                                        : appendTo(session, volume, version))));
    }

    private static Uni<Append> appendTo(Mutiny.StatelessSession session, VolumeRow volume, NewVersion wanted) {
        return session.get(RefRow.class, new RefRow.Key(volume.id, RefRow.MAIN)).chain(main -> {
            if (main.version != wanted.parent()) {
                return Uni.createFrom().item(new Append.Moved(main.version));
            }
            Version version = wanted.numbered(volume.lastNumber + 1);
            volume.lastNumber = version.number();
            main.version = version.number();
            return session.insert(VersionRow.of(volume.id, version))
                    .chain(() -> session.insert(CommitRow.of(wanted, version.number())))
                    .chain(() -> session.update(volume))
                    .chain(() -> session.update(main))
                    .chain(() -> keepParent(session, wanted))
                    .replaceWith(new Append.Appended(version));
        });
    }

    private static Uni<Void> keepParent(Mutiny.StatelessSession session, NewVersion version) {
        return version.conflictRef()
                .map(name -> session.insert(RefRow.of(version.volumeId(), name, version.parent())))
                .orElseGet(() -> Uni.createFrom().voidItem());
    }

    @Override
    public Optional<Append.Repeated> commit(String volumeId, String commitId) {
        return transactions.call(session -> repeated(session, volumeId, commitId));
    }

    private static Uni<Append.Repeated> repeated(Mutiny.StatelessSession session, String volumeId, String commitId) {
        return session.get(CommitRow.class, new CommitRow.Key(volumeId, commitId))
                .onItem()
                .ifNotNull()
                .transformToUni(commit -> session.get(VersionRow.class, new VersionRow.Key(volumeId, commit.version))
                        .map(row -> new Append.Repeated(Digest.parse(commit.request), row.toVersion())));
    }

    private static Volume toVolume(Object[] columns) {
        return ((VolumeRow) columns[0]).toVolume((Long) columns[1]);
    }
}
