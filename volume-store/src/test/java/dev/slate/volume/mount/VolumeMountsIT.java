package dev.slate.volume.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.PlatformException;
import dev.slate.tree.Digest;
import dev.slate.tree.Entry;
import dev.slate.tree.Mounts;
import dev.slate.tree.Tree;
import dev.slate.tree.TreePath;
import dev.slate.tree.posix.Posix;
import dev.slate.volume.body.BodyStores;
import dev.slate.volume.catalog.FakeVolumeStore;
import dev.slate.volume.catalog.Version;
import dev.slate.volume.catalog.Volume;
import dev.slate.volume.catalog.VolumeName;
import dev.slate.volume.commit.Commits;
import dev.slate.volume.commit.VersionTrees;
import dev.slate.volume.version.FileEdit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real overlay mounts on a real content store; only the database is a fake. */
class VolumeMountsIT {
    private static final String ENVIRONMENT = "default";
    private static final VolumeName NAME = new VolumeName("data");

    @TempDir
    private Path home;

    private final FakeVolumeStore store = new FakeVolumeStore();
    private BodyStores bodies;
    private VersionTrees trees;
    private Commits commits;
    private VolumeMounts mounts;
    private Volume volume;

    @BeforeEach
    void createVolume() throws IOException {
        start();
        volume = new Volume(UUID.randomUUID().toString(), ENVIRONMENT, NAME, 0, Instant.EPOCH);
        store.create(volume);
        put("loans.csv", "id\nA1\n");
        put("dir/a", "a");
        put("dir/b", "b");
    }

    @AfterEach
    void unmount() throws IOException {
        VolumeMounts.unmountAll(home);
        assertThat(Mounts.list()).noneMatch(mount -> mount.target().startsWith(home));
    }

    /** As a new process would. */
    private void start() throws IOException {
        bodies = new BodyStores(home);
        trees = new VersionTrees(store, bodies);
        commits = new Commits(store, trees, bodies, Clock.systemUTC());
        mounts = new VolumeMounts(store, trees, commits, bodies, Clock.systemUTC());
    }

    @Test
    void b30WriteInLatestIsPresentInANewVersion() throws IOException {
        Path data = mount("m1", 0);
        Files.writeString(data.resolve("loans.csv"), "id\nA1\nA99999\n");

        SealResult result = mounts.seal("m1", true);

        assertThat(result).isEqualTo(SealResult.plain(SealResult.Outcome.COMMITTED, 4));
        assertThat(content(4, "loans.csv")).isEqualTo("id\nA1\nA99999\n");
        assertThat(content(3, "loans.csv")).isEqualTo("id\nA1\n");
    }

    @Test
    void n11WritesInAVersionMountAreDropped() throws Exception {
        Path data = mount("m1", 2);
        Files.writeString(data.resolve("loans.csv"), "changed");
        Files.delete(data.resolve("dir/a"));
        Files.move(data.resolve("dir"), data.resolve("renamed"));
        Files.createSymbolicLink(data.resolve("link"), Path.of("loans.csv"));

        SealResult result = mounts.seal("m1", true);

        assertThat(result).isEqualTo(SealResult.plain(SealResult.Outcome.DROPPED, 2));
        assertThat(content(2, "loans.csv")).isEqualTo("id\nA1\n");
        assertThat(content(2, "dir/a")).isEqualTo("a");
        assertThat(latest()).isEqualTo(3);
        assertThat(mount("m2", 2).resolve("dir/a")).hasContent("a");
    }

    @Test
    void n12TwoWritersOfDifferentFilesBothArrive() throws IOException {
        Path one = mount("m1", 0);
        Path two = mount("m2", 0);
        Files.writeString(one.resolve("dir/one"), "1");
        Files.writeString(two.resolve("dir/two"), "2");
        Files.delete(two.resolve("dir/a"));

        mounts.seal("m1", true);
        SealResult second = mounts.seal("m2", true);

        assertThat(second.outcome()).isEqualTo(SealResult.Outcome.COMMITTED);
        assertThat(content(5, "dir/one")).isEqualTo("1");
        assertThat(content(5, "dir/two")).isEqualTo("2");
        assertThat(tree(5).find(new TreePath("dir/a"))).isEmpty();
    }

    @Test
    void n12TwoWritersOfOneFileKeepBothAndSaySo() throws IOException {
        Path one = mount("m1", 0);
        Path two = mount("m2", 0);
        Files.writeString(one.resolve("loans.csv"), "first");
        Files.writeString(two.resolve("loans.csv"), "second");

        mounts.seal("m1", true);
        SealResult second = mounts.seal("m2", true);

        assertThat(second)
                .isEqualTo(new SealResult(SealResult.Outcome.CONFLICT, 5, List.of("loans.csv"), "conflict/m2", ""));
        assertThat(content(5, "loans.csv")).isEqualTo("second");
        long loser = store.ref(volume.id(), "conflict/m2").orElseThrow();
        assertThat(content(loser, "loans.csv")).isEqualTo("first");
    }

    @Test
    void manyWritersLoseNothing() throws Exception {
        List<Callable<SealResult>> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String id = "m" + i;
            Files.writeString(mount(id, 0).resolve(id), id);
            writers.add(() -> mounts.seal(id, true));
        }

        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<SealResult> result : threads.invokeAll(writers)) {
                assertThat(result.get().outcome()).isEqualTo(SealResult.Outcome.COMMITTED);
            }
        }

        assertThat(latest()).isEqualTo(11);
        for (int i = 0; i < 8; i++) {
            assertThat(content(11, "m" + i)).isEqualTo("m" + i);
        }
    }

    @Test
    void nothingWrittenMakesNoVersion() throws IOException {
        Path data = mount("m1", 0);
        Files.writeString(data.resolve("t"), "temporary");
        Files.delete(data.resolve("t"));
        Files.move(data.resolve("dir"), data.resolve("t"));
        Files.move(data.resolve("t"), data.resolve("dir"));

        assertThat(mounts.seal("m1", true)).isEqualTo(SealResult.plain(SealResult.Outcome.UNCHANGED, 3));
        assertThat(latest()).isEqualTo(3);
    }

    @Test
    void keepsOwnerModeAndRenames() throws IOException {
        Path data = mount("m1", 0);
        Posix.chown(data.resolve("loans.csv"), 1000, 1001);
        Posix.chmod(data.resolve("loans.csv"), 04750);
        Posix.chmod(data, 01777);
        Files.move(data.resolve("dir"), data.resolve("moved"));

        mounts.seal("m1", true);
        Path again = mount("m2", 0);

        assertThat(Posix.stat(again.resolve("loans.csv")))
                .satisfies(stat -> assertThat(stat.mode()).isEqualTo(04750))
                .satisfies(stat -> assertThat(stat.uid()).isEqualTo(1000))
                .satisfies(stat -> assertThat(stat.gid()).isEqualTo(1001));
        assertThat(Posix.stat(again).mode()).isEqualTo(01777);
        assertThat(again.resolve("moved/b")).hasContent("b");
        assertThat(again.resolve("dir")).doesNotExist();
    }

    @Test
    void sealsOnceHoweverOftenItIsAsked() throws IOException {
        Files.writeString(mount("m1", 0).resolve("new"), "1");

        SealResult first = mounts.seal("m1", true);

        assertThat(mounts.seal("m1", true)).isEqualTo(first);
        assertThat(mounts.seal("m1", false)).isEqualTo(first);
        start();
        assertThat(mounts.seal("m1", true)).isEqualTo(first);
        assertThat(latest()).isEqualTo(4);
    }

    @Test
    void mountsOnceHoweverOftenItIsAsked() throws IOException {
        Path first = mount("m1", 0);

        assertThat(mount("m1", 0)).isEqualTo(first);
        assertThat(Mounts.list())
                .filteredOn(mount -> mount.target().equals(first))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void commitsAfterARestart(boolean mountSurvives) throws IOException {
        Files.writeString(mount("m1", 0).resolve("new"), "1");
        if (!mountSurvives) {
            VolumeMounts.unmountAll(home);
        }
        start();
        assertThat(mounts.recover()).isEmpty();
        assertThat(mounts.list())
                .singleElement()
                .satisfies(status -> assertThat(status.mounted()).isEqualTo(mountSurvives));

        SealResult result = mounts.seal("m1", true);

        assertThat(result).isEqualTo(SealResult.plain(SealResult.Outcome.COMMITTED, 4));
        assertThat(content(4, "new")).isEqualTo("1");
    }

    @Test
    void aMountSurvivesARestartAndGoesOnWorking() throws IOException {
        Path data = mount("m1", 0);
        Files.writeString(data.resolve("before"), "1");
        VolumeMounts.unmountAll(home);
        start();
        mounts.recover();

        Path again = mount("m1", 0);

        assertThat(again.resolve("before")).hasContent("1");
    }

    @Test
    void namesSealsThatACrashInterrupted() throws IOException {
        Files.writeString(mount("m1", 0).resolve("new"), "1");
        MountJournal journal = new MountJournal(home.resolve("volumes/mounts"));
        journal.save(journal.find("m1").orElseThrow().sealed(true));
        start();

        assertThat(mounts.recover()).containsExactly("m1");
        assertThat(mounts.seal("m1", true).outcome()).isEqualTo(SealResult.Outcome.COMMITTED);
    }

    @Test
    void aCrashAfterTheCommitPointDoesNotCommitTwice() throws IOException {
        Files.writeString(mount("m1", 0).resolve("new"), "1");
        MountJournal journal = new MountJournal(home.resolve("volumes/mounts"));
        MountRecord sealed = journal.find("m1").orElseThrow().sealed(true);
        Path copy = home.resolve("copy");
        Files.createDirectories(copy);
        Files.copy(home.resolve("volumes/mounts/m1/upper/new"), copy.resolve("new"));
        mounts.seal("m1", true);
        put("other", "2");
        Files.createDirectories(journal.upper("m1"));
        Files.copy(copy.resolve("new"), journal.upper("m1").resolve("new"), StandardCopyOption.COPY_ATTRIBUTES);
        journal.save(sealed);

        SealResult result = mounts.seal("m1", true);

        assertThat(result.outcome()).isEqualTo(SealResult.Outcome.COMMITTED);
        assertThat(latest()).isEqualTo(5);
    }

    @Test
    void homeMayBeALink() throws IOException {
        Path link = home.resolveSibling(home.getFileName() + "-link");
        Files.createSymbolicLink(link, home);
        try {
            BodyStores linked = new BodyStores(link);
            VolumeMounts through = new VolumeMounts(store, trees, commits, linked, Clock.systemUTC());

            through.mount("m1", ENVIRONMENT, NAME, 0, "sandbox");

            assertThat(through.list())
                    .singleElement()
                    .satisfies(status -> assertThat(status.mounted()).isTrue());
            VolumeMounts.unmountAll(link);
        } finally {
            Files.delete(link);
        }
        assertThat(Mounts.list()).noneMatch(mount -> mount.target().startsWith(home));
    }

    @Test
    void dropsOnRequest() throws IOException {
        Files.writeString(mount("m1", 0).resolve("new"), "1");

        assertThat(mounts.seal("m1", false).outcome()).isEqualTo(SealResult.Outcome.DROPPED);
        assertThat(latest()).isEqualTo(3);
    }

    @Test
    void deletedVolumeKeepsLiveMountsAndTheirFiles() throws IOException {
        Path data = mount("m1", 0);
        store.delete(ENVIRONMENT, NAME, Instant.EPOCH);
        Files.writeString(data.resolve("late"), "precious");

        assertThatThrownBy(() -> mount("m2", 0))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("not found");
        SealResult result = mounts.seal("m1", true);

        assertThat(result.outcome()).isEqualTo(SealResult.Outcome.SALVAGED);
        assertThat(Path.of(result.salvage(), "late")).hasContent("precious");
        assertThat(mounts.seal("m1", true)).isEqualTo(result);
    }

    @Test
    void keepsAsideWhatNoTreeCanHold() throws Exception {
        Path data = mount("m1", 0);
        new ProcessBuilder("sh", "-c", "touch \"$(printf 'bad\\377')\"")
                .directory(data.toFile())
                .start()
                .waitFor();

        SealResult result = mounts.seal("m1", true);

        assertThat(result.outcome()).isEqualTo(SealResult.Outcome.SALVAGED);
        assertThat(latest()).isEqualTo(3);
    }

    @Test
    void theCheckoutBelowStaysUntouched() throws IOException {
        Files.writeString(mount("m1", 3).resolve("loans.csv"), "overwritten");

        assertThat(mount("m2", 3).resolve("loans.csv")).hasContent("id\nA1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "..", "a/b", "-x", "a b"})
    void refusesMountIdsThatAreNoFolderNames(String id) {
        assertThatThrownBy(() -> mount(id, 0)).isInstanceOf(PlatformException.class);
    }

    @Test
    void unknownVersionIsNotFound() {
        assertThatThrownBy(() -> mount("m1", 9))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("version not found");
        assertThat(mounts.list()).isEmpty();
    }

    private Path mount(String id, long version) {
        return mounts.mount(id, ENVIRONMENT, NAME, version, "sandbox").path();
    }

    private void put(String path, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Digest digest = bodies.of(ENVIRONMENT).put(bytes);
        Volume current = store.find(ENVIRONMENT, NAME).orElseThrow();
        commits.edit(
                current,
                UUID.randomUUID().toString(),
                "test",
                List.of(new FileEdit.PutFile(new TreePath(path), digest, bytes.length, 0)));
    }

    private long latest() {
        return store.versions(volume.id(), Long.MAX_VALUE, 1).stream()
                .mapToLong(Version::number)
                .findFirst()
                .orElse(0);
    }

    private Tree tree(long version) {
        return trees.of(ENVIRONMENT, volume.id(), version);
    }

    private String content(long version, String path) throws IOException {
        Entry.File file = (Entry.File) tree(version).find(new TreePath(path)).orElseThrow();
        return new String(bodies.of(ENVIRONMENT).read(file.content()), StandardCharsets.UTF_8);
    }
}
