package dev.slate.controlplane.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.agent.FileEntry;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FilePageTest {
    @Test
    void keepsTheFirstNamesAfterTheToken() {
        assertThat(names(page("/", 2, ""))).containsExactly("a", "b");
        assertThat(page("/", 2, "").nextToken()).isEqualTo("b");
        assertThat(names(page("/", 2, "b"))).containsExactly("c", "d");
        assertThat(page("/", 2, "b").nextToken()).isEmpty();
        assertThat(names(page("/", 0, ""))).containsExactly("a", "b", "c", "d");
    }

    @Test
    void staysSmallHoweverLongThePathIs() {
        FilePage page = new FilePage("/" + "x".repeat(4000), 10_000, "");
        for (int i = 0; i < 10_000; i++) {
            page.offer(entry("name-" + i));
        }

        assertThat(page.entries()).hasSizeLessThan(1000);
        assertThat(page.nextToken()).isNotEmpty();
    }

    @Test
    void refusesASizeOutOfRange() {
        assertThatExceptionOfType(PlatformException.class).isThrownBy(() -> new FilePage("/", 10_001, ""));
        assertThatExceptionOfType(PlatformException.class).isThrownBy(() -> new FilePage("/", -1, ""));
    }

    private static FilePage page(String folder, int size, String after) {
        FilePage page = new FilePage(folder, size, after);
        Stream.of("c", "a", "d", "b").map(FilePageTest::entry).forEach(page::offer);
        return page;
    }

    private static Stream<String> names(FilePage page) {
        return page.entries().stream().map(FileEntry::name);
    }

    private static FileEntry entry(String name) {
        return new FileEntry(name, FileEntry.Type.FILE, 0644, 0, Instant.EPOCH, 0, 0);
    }
}
