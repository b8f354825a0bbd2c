package dev.slate.image.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedRunsTest {
    private final SharedRuns<String, String> runs = new SharedRuns<>();

    @Test
    void tellsWhoComesLateEverythingFromTheStart() {
        var go = new CountDownLatch(1);
        var count = new AtomicInteger();
        var early = new CopyOnWriteArrayList<BuildEvent>();
        var late = new CopyOnWriteArrayList<BuildEvent>();
        var first = CompletableFuture.supplyAsync(() -> runs.join("key", early::add, progress -> {
            count.incrementAndGet();
            progress.phase("one", 1, 2, false);
            uninterruptibly(go);
            progress.phase("two", 2, 2, false);
            return "done";
        }));
        await().until(() -> !early.isEmpty());

        var second = CompletableFuture.supplyAsync(() -> runs.join("key", late::add, _ -> "not run"));
        await().until(() -> !late.isEmpty());
        go.countDown();

        assertThat(first.join()).isEqualTo("done");
        assertThat(second.join()).isEqualTo("done");
        assertThat(count).hasValue(1);
        assertThat(late).isEqualTo(early).hasSize(2);
    }

    @Test
    void failsForAllWithTheSameCode() {
        assertThatThrownBy(() -> runs.join("key", _ -> {}, _ -> {
                    throw new PlatformException(ErrorCode.IMAGE_BUILD_FAILED, "no luck");
                }))
                .isInstanceOfSatisfying(
                        PlatformException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.IMAGE_BUILD_FAILED))
                .hasMessage("no luck");
    }

    @Test
    void goesOnWhenACallerGivesUp() {
        var ended = new CountDownLatch(1);

        assertThatThrownBy(() -> runs.join(
                        "key",
                        _ -> {
                            throw new IllegalStateException("gone");
                        },
                        progress -> {
                            progress.phase("one", 1, 1, false);
                            ended.countDown();
                            return "done";
                        }))
                .hasMessage("gone");

        await().until(() -> ended.getCount() == 0);
    }

    @Test
    void dropsOutputThatIsTooMuchAndSaysSo() {
        var events = new CopyOnWriteArrayList<BuildEvent>();

        runs.join("key", events::add, progress -> {
            for (int i = 0; i < 20; i++) {
                progress.log(1, new byte[1 << 20]);
            }
            return "done";
        });

        assertThat(events).hasSizeLessThan(12);
        assertThat(List.copyOf(events).getLast())
                .isInstanceOfSatisfying(
                        BuildEvent.Log.class,
                        log -> assertThat(new String(log.output(), java.nio.charset.StandardCharsets.UTF_8))
                                .contains("more output"));
    }

    private static void uninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
