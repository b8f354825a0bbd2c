package dev.slate.tree.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.tree.Attributes;
import dev.slate.tree.Entry;
import dev.slate.tree.Lower;
import dev.slate.tree.Tree;
import dev.slate.tree.TreeException;
import dev.slate.tree.TreePath;
import dev.slate.tree.posix.Posix;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Layers that try to leave their directory, or to forge what overlayfs trusts. */
class HostileLayerIT {
    @TempDir
    private Path root;

    private Path out;
    private Path outside;

    @BeforeEach
    void makeDirectories() throws IOException {
        out = Files.createDirectories(root.resolve("out"));
        outside = Files.createDirectories(root.resolve("outside"));
        Files.writeString(outside.resolve("victim"), "untouched");
    }

    static Stream<List<TarEntry>> escapes() {
        return Stream.of(
                List.of(file("../outside/victim")),
                List.of(file("a/../../outside/victim")),
                List.of(file("/outside/victim")),
                List.of(directory("..")),
                List.of(symlink("pwn", "../outside"), file("pwn/victim")),
                List.of(symlink("pwn", "../outside"), file("pwn/.wh.victim")),
                List.of(symlink("pwn", "../outside"), file("pwn/.wh..wh..opq")),
                List.of(symlink("pwn", "../outside"), directory("pwn/new")),
                List.of(symlink("pwn", "../outside"), hardLink("stolen", "pwn/victim")),
                List.of(symlink(".", "../outside")),
                List.of(hardLink("stolen", "../outside/victim")),
                List.of(hardLink("stolen", "/etc/passwd")),
                List.of(hardLink("stolen", "absent")),
                List.of(file(".wh...")),
                List.of(file(".wh.")),
                List.of(file("f"), file("f/g")),
                List.of(device("node", 0, 0)),
                List.of(withXattr("f", "trusted.overlay.redirect")));
    }

    @ParameterizedTest
    @MethodSource("escapes")
    void refusesAndTouchesNothingOutside(List<TarEntry> entries) throws IOException {
        var tar = tar(entries);

        assertThatThrownBy(() -> extract(tar)).isInstanceOfAny(TreeException.class, IOException.class);

        assertThat(outside.resolve("victim")).hasContent("untouched");
        try (var files = Files.list(outside)) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void replacesASymlinkInsteadOfWritingThroughIt() throws IOException {
        extract(tar(List.of(symlink("f", "../outside/victim"), file("f"))));

        assertThat(outside.resolve("victim")).hasContent("untouched");
        assertThat(Files.isRegularFile(out.resolve("f"), LinkOption.NOFOLLOW_LINKS))
                .isTrue();
    }

    @Test
    void removalAndNewContentOfOneNameWorkInEitherOrder() throws IOException {
        extract(tar(List.of(
                file(".wh.a"),
                directory("a"),
                file("a/f"),
                directory("b"),
                file("b/f"),
                file(".wh.b"),
                file(".wh.c"),
                file("c"))));

        for (var name : List.of("a", "b")) {
            assertThat(Posix.xattr(out.resolve(name), "trusted.overlay.opaque").orElseThrow())
                    .containsExactly('y');
            assertThat(out.resolve(name).resolve("f")).exists();
        }
        assertThat(Files.isRegularFile(out.resolve("c"))).isTrue();
    }

    @Test
    void marksRemovedNamesAndOpaqueDirectories() throws IOException {
        extract(tar(List.of(file("d/.wh..wh..opq"), file("d/.wh.gone"))));

        assertThat(Posix.stat(out.resolve("d/gone")).isWhiteout()).isTrue();
        assertThat(Posix.xattr(out.resolve("d"), "trusted.overlay.opaque")).isPresent();
    }

    @Test
    void takesAttributesOfUnmentionedDirectoriesFromBelow() throws IOException {
        var lower = new Tree(new TreeMap<>(Map.of(
                TreePath.ROOT,
                new Entry.Directory(Attributes.of(0755, Instant.EPOCH)),
                new TreePath("tmp"),
                new Entry.Directory(Attributes.of(01777, Instant.EPOCH)),
                new TreePath("bin"),
                new Entry.Symlink(Attributes.of(0777, Instant.EPOCH), "usr/bin"))));

        LayerExtractor.extract(
                new ByteArrayInputStream(tar(List.of(file("tmp/f")))), out, Lower.tree(lower), LayerLimits.DEFAULT);

        assertThat(Posix.stat(out.resolve("tmp")).mode()).isEqualTo(01777);
        var throughLink = tar(List.of(file("bin/f")));
        assertThatThrownBy(() -> LayerExtractor.extract(
                        new ByteArrayInputStream(throughLink), out, Lower.tree(lower), LayerLimits.DEFAULT))
                .isInstanceOf(TreeException.class);
    }

    @Test
    void stopsAtTheLimits() throws IOException {
        var tar = tar(List.of(file("a"), file("b")));

        assertThatThrownBy(() -> extract(tar, new LayerLimits(1000, 1))).hasMessageContaining("entries");
        assertThatThrownBy(() -> extract(tar, new LayerLimits(4, 10))).hasMessageContaining("bytes");
    }

    @Test
    void refusesTruncatedAndBrokenTars() throws IOException {
        var tar = tar(List.of(file("a")));
        assertThatThrownBy(() -> extract(Arrays.copyOf(tar, 700))).isInstanceOf(EOFException.class);

        tar[3] ^= 1;
        assertThatThrownBy(() -> extract(tar)).isInstanceOf(TreeException.class).hasMessageContaining("sum");
    }

    private void extract(byte[] tar) throws IOException {
        extract(tar, LayerLimits.DEFAULT);
    }

    private void extract(byte[] tar, LayerLimits limits) throws IOException {
        LayerExtractor.extract(new ByteArrayInputStream(tar), out, Lower.tree(Tree.EMPTY), limits);
    }

    private static byte[] tar(List<TarEntry> entries) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var writer = new TarWriter(bytes);
        for (var entry : entries) {
            writer.write(entry);
            writer.body(new ByteArrayInputStream(new byte[(int) entry.size()]), entry.size(), entry.name());
        }
        writer.finish();
        return bytes.toByteArray();
    }

    private static TarEntry file(String name) {
        return entry(TarEntry.Type.FILE, name, "", 3, 0, Map.of());
    }

    private static TarEntry directory(String name) {
        return entry(TarEntry.Type.DIRECTORY, name, "", 0, 0, Map.of());
    }

    private static TarEntry symlink(String name, String target) {
        return entry(TarEntry.Type.SYMLINK, name, target, 0, 0, Map.of());
    }

    private static TarEntry hardLink(String name, String target) {
        return entry(TarEntry.Type.HARD_LINK, name, target, 0, 0, Map.of());
    }

    private static TarEntry device(String name, int major, int minor) {
        return entry(TarEntry.Type.CHARACTER_DEVICE, name, "", major, minor, Map.of());
    }

    private static TarEntry withXattr(String name, String xattr) {
        return entry(TarEntry.Type.FILE, name, "", 0, 0, Map.of(xattr, "2f"));
    }

    private static TarEntry entry(
            TarEntry.Type type, String name, String link, int number, int minor, Map<String, String> xattrs) {
        boolean file = type == TarEntry.Type.FILE;
        return new TarEntry(
                type,
                name,
                link,
                0644,
                0,
                0,
                file ? number : 0,
                Instant.EPOCH,
                file ? 0 : number,
                minor,
                new TreeMap<>(xattrs));
    }
}
