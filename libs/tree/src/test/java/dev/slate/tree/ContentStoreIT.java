package dev.slate.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.tree.posix.Posix;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentStoreIT {
    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path root;

    private ContentStore store;

    @BeforeEach
    void openStore() throws IOException {
        store = ContentStore.open(root);
    }

    @Test
    void givesBackWhatWasPut() throws IOException {
        var digest = store.put(HELLO);

        assertThat(digest).hasToString("sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
        assertThat(store.read(digest)).asString().isEqualTo("hello");
    }

    @Test
    void keepsBodiesReadOnlyAndOnce() throws IOException {
        store.put(HELLO);
        store.put(HELLO);

        assertThat(files()).hasSize(1);
        assertThat(Posix.stat(files().getFirst()).mode()).isEqualTo(0444);
    }

    @Test
    void leavesNothingOfABodyThatBreaksOff() {
        var broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("cut");
            }

            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                return read();
            }
        };

        assertThatThrownBy(() -> store.put(broken)).hasMessage("cut");
        assertThat(files()).isEmpty();
    }

    @Test
    void showsABatchOnlyWhenItIsFinished() throws IOException {
        try (var batch = store.batch()) {
            var first = batch.put(new ByteArrayInputStream(new byte[] {0})).digest();
            for (int i = 1; i < 20; i++) {
                batch.put(new ByteArrayInputStream(new byte[] {(byte) i}));
            }
            assertThat(store.has(first)).isFalse();

            batch.finish();

            assertThat(store.has(first)).isTrue();
        }
        assertThat(files()).hasSize(20);
    }

    @Test
    void noticesDamage() throws IOException {
        var digest = store.put(HELLO);
        Files.write(files().getFirst(), "jello".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> store.read(digest)).hasMessageContaining("damaged");
    }

    private List<Path> files() {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
