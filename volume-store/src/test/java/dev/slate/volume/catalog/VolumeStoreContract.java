package dev.slate.volume.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.common.grpc.PageRequest;
import dev.slate.tree.Digest;
import dev.slate.tree.TreePath;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every store of volumes must do. */
abstract class VolumeStoreContract {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678901Z");
    private static final PageRequest ALL = new PageRequest(100, "");

    private final String environment = "env-" + UUID.randomUUID();

    abstract VolumeStore store();

    @Test
    void keepsWhatWasCreated() {
        Volume volume = create("data");

        assertThat(store().find(environment, volume.name())).contains(volume);
        assertThat(store().find("other", volume.name())).isEmpty();
        assertThat(store().list(environment, ALL)).containsExactly(volume);
    }

    @Test
    void refusesASecondLiveVolumeOfTheName() {
        create("data");

        assertThat(store().create(volume("data"))).isFalse();
    }

    @Test
    void listsInOrderFromAName() {
        create("c");
        create("a");
        create("b");

        assertThat(store().list(environment, new PageRequest(1, "a")))
                .extracting(volume -> volume.name().value())
                .containsExactly("b", "c");
    }

    @Test
    void givesTheNameToANewVolumeAfterADelete() {
        Volume old = create("data");

        assertThat(store().delete(environment, old.name(), NOW)).isTrue();
        assertThat(store().delete(environment, old.name(), NOW)).isFalse();
        assertThat(store().find(environment, old.name())).isEmpty();
        Volume next = create("data");

        assertThat(next.id()).isNotEqualTo(old.id());
        assertThat(store().append(version(old, "late", 0, List.of()))).isEqualTo(new Append.Gone());
    }

    @Test
    void numbersVersionsFromOneAndMovesMain() {
        Volume volume = create("data");

        Append first = store().append(version(volume, "c1", 0, List.of()));
        Append second = store().append(version(volume, "c2", 1, List.of(new TreePath("a/b"), new TreePath("c d"))));

        assertThat(first)
                .isInstanceOfSatisfying(
                        Append.Appended.class,
                        append -> assertThat(append.version().number()).isEqualTo(1));
        Version stored = ((Append.Appended) second).version();
        assertThat(store().version(volume.id(), 2)).contains(stored);
        assertThat(store().versions(volume.id(), Long.MAX_VALUE, 10))
                .extracting(Version::number)
                .containsExactly(2L, 1L);
        assertThat(store().find(environment, volume.name()).orElseThrow().latest())
                .isEqualTo(2);
        assertThat(store().ref(volume.id(), "conflict/c2")).contains(1L);
    }

    @Test
    void refusesAnAppendOnAnOldHead() {
        Volume volume = create("data");
        store().append(version(volume, "c1", 0, List.of()));

        assertThat(store().append(version(volume, "c2", 0, List.of()))).isEqualTo(new Append.Moved(1));
    }

    @Test
    void repeatsTheAnswerOfACommit() {
        Volume volume = create("data");
        NewVersion wanted = version(volume, "c1", 0, List.of());
        Append first = store().append(wanted);

        Append again = store().append(wanted);

        assertThat(again).isEqualTo(new Append.Repeated(wanted.request(), ((Append.Appended) first).version()));
        assertThat(store().commit(volume.id(), "c1")).contains((Append.Repeated) again);
        assertThat(store().commit(volume.id(), "other")).isEmpty();
    }

    @Test
    void manyWritersGetDenseNumbers() throws Exception {
        Volume volume = create("data");
        List<Callable<Void>> writers = IntStream.range(0, 8)
                .<Callable<Void>>mapToObj(writer -> () -> {
                    long head = 0;
                    while (store().append(version(volume, "w" + writer, head, List.of()))
                            instanceof Append.Moved(long next)) {
                        head = next;
                    }
                    return null;
                })
                .toList();

        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Void> result : threads.invokeAll(writers)) {
                result.get();
            }
        }

        assertThat(store().versions(volume.id(), Long.MAX_VALUE, 100))
                .extracting(Version::number)
                .containsExactly(8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L);
    }

    private Volume create(String name) {
        Volume volume = volume(name);
        assertThat(store().create(volume)).isTrue();
        return volume;
    }

    private Volume volume(String name) {
        return new Volume(UUID.randomUUID().toString(), environment, new VolumeName(name), 0, NOW);
    }

    private static NewVersion version(Volume volume, String commitId, long parent, List<TreePath> conflicts) {
        Digest digest = Digest.of(commitId.getBytes(StandardCharsets.UTF_8));
        Optional<String> ref = conflicts.isEmpty() ? Optional.empty() : Optional.of("conflict/" + commitId);
        return new NewVersion(volume.id(), commitId, digest, parent, digest, 3, 4, "me", conflicts, ref, NOW);
    }
}
