package dev.slate.tree.layer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.tree.Attributes;
import dev.slate.tree.BodySink;
import dev.slate.tree.BodySource;
import dev.slate.tree.Changes;
import dev.slate.tree.Entry;
import dev.slate.tree.Lower;
import dev.slate.tree.Mounts;
import dev.slate.tree.ScanLimits;
import dev.slate.tree.TestOverlay;
import dev.slate.tree.Tree;
import dev.slate.tree.TreePath;
import dev.slate.tree.TreeScanner;
import dev.slate.tree.posix.Posix;
import dev.slate.tree.posix.Stat;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Upper directory of a real overlay, to layer, to layer directory, and mounted again. */
class LayerIT {
    private static final Instant LATEST = Instant.parse("2100-01-01T00:00:00Z");

    @TempDir
    private Path root;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "true",
                "echo 1 > new; chmod 6755 new; chown 12:3000000 new",
                "rm file; rm -r d",
                "rm -r d; mkdir d; echo 2 > d/other",
                "rm -r d; mkdir -p d/sub/new; echo 2 > d/sub/z2",
                "rm -r d; echo 2 > d",
                "rm file; mkdir file; echo x > file/x",
                "ln -s /etc/passwd out; echo 1 > h1; ln h1 h2; ln h1 d/h3; chmod 700 e; echo 2 > e/y",
                "mkdir -p a/$(printf %0100d 1)/$(printf %0100d 2); touch a/$(printf %0100d 1)/$(printf %0100d 2)/é",
                "mkdir n; chmod 1777 n; mkfifo n/skipped",
            })
    void layerMountsToWhatTheStepSaw(String script) throws Exception {
        try (var overlay = new TestOverlay(root, Mounts.DirectoryRenames.OFF, LayerIT::lower)) {
            overlay.run(script);
            TestOverlay.sh(overlay.upper, "find . -name skipped -delete");
            var shown = overlay.mergedTree();
            var blob = layer(overlay, Compression.ZSTD).bytes();

            var again = mounted(overlay.lower, blob);

            assertThat(comparable(again)).isEqualTo(comparable(shown));
        }
    }

    @Test
    void equalChangesGiveEqualDigests() throws Exception {
        var first = layerOf("rm file; touch b; mkdir z; echo 1 > z/a; ln z/a z/b");
        Thread.sleep(1100);

        var second = layerOf("mkdir z; touch b; echo 1 > z/a; ln z/a z/b; rm file");

        assertThat(second.layer()).isEqualTo(first.layer());
    }

    @Test
    void nothingChangedIsTheEmptyLayer() throws Exception {
        try (var overlay = new TestOverlay(root, Mounts.DirectoryRenames.OFF, LayerIT::lower)) {
            overlay.run("mv file t; mv t file; cat file");

            var layer = layer(overlay, Compression.ZSTD).layer();

            assertThat(layer.diffId())
                    .hasToString("sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef");
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void extractionFindsTheSameDigests(Compression compression) throws Exception {
        Written written;
        try (var overlay = new TestOverlay(root, Mounts.DirectoryRenames.OFF, LayerIT::lower)) {
            overlay.run("echo 1 > new");
            written = layer(overlay, compression);
        }

        var read = LayerExtractor.extract(
                new ByteArrayInputStream(written.bytes()),
                Files.createDirectories(root.resolve("out")),
                Lower.tree(Tree.EMPTY),
                LayerLimits.DEFAULT);

        assertThat(read).isEqualTo(written.layer());
        assertThat(written.layer().size()).isEqualTo(written.bytes().length);
    }

    @Test
    void keepsBinaryXattrsAndHardLinks() throws Exception {
        var value = new byte[] {0, (byte) 0xff, '\n', '='};
        byte[] blob;
        try (var overlay = new TestOverlay(root, Mounts.DirectoryRenames.OFF, LayerIT::lower)) {
            overlay.run("echo 1 > h1; ln h1 h2");
            Posix.setXattr(overlay.merged.resolve("h1"), "user.note", value);
            blob = layer(overlay, Compression.GZIP).bytes();
        }
        var out = Files.createDirectories(root.resolve("out"));

        LayerExtractor.extract(new ByteArrayInputStream(blob), out, Lower.tree(Tree.EMPTY), LayerLimits.DEFAULT);

        assertThat(Posix.xattr(out.resolve("h2"), "user.note").orElseThrow()).isEqualTo(value);
        assertThat(Posix.stat(out.resolve("h1")).inode())
                .isEqualTo(Posix.stat(out.resolve("h2")).inode());
    }

    @Test
    void readsWhatGnuTarWrites() throws Exception {
        var source = Files.createDirectories(root.resolve("source"));
        TestOverlay.sh(source, """
                long=$(printf %0120d 7); mkdir -p $long/$long; echo 1 > $long/$long/f; ln -s $long/$long/$long l
                mknod null c 1 3; mkfifo pipe; chmod 4711 $long/$long/f; touch -d '1960-01-01' $long
                """);
        TestOverlay.sh(source, "tar --numeric-owner -czf ../t.tgz . && tar --format=posix -czf ../p.tgz .");
        var expected = TreeScanner.scan(source, BodySink.digestOnly(), ScanLimits.DEFAULT);

        for (var name : List.of("t.tgz", "p.tgz")) {
            var out = Files.createDirectories(root.resolve(name + ".out"));
            try (var blob = Files.newInputStream(root.resolve(name))) {
                LayerExtractor.extract(blob, out, Lower.tree(Tree.EMPTY), LayerLimits.DEFAULT);
            }
            var found = TreeScanner.scan(out, BodySink.digestOnly(), ScanLimits.DEFAULT);
            assertThat(comparable(found.tree())).isEqualTo(comparable(expected.tree()));
            assertThat(found.skipped()).isEqualTo(expected.skipped());
            assertThat(Posix.stat(out.resolve("null")).kind()).isEqualTo(Stat.Kind.CHARACTER_DEVICE);
        }
    }

    @Test
    void gnuTarReadsWhatWeWrite() throws Exception {
        try (var overlay = new TestOverlay(root, Mounts.DirectoryRenames.OFF, LayerIT::lower)) {
            overlay.run("d=$(printf %0130d 7); mkdir $d; echo 1 > $d/é; chown 5000000:6 $d/é; ln $d/é hard");
            Files.write(
                    root.resolve("layer.tar"), layer(overlay, Compression.NONE).bytes());
        }
        var out = Files.createDirectories(root.resolve("out"));

        TestOverlay.sh(out, "tar --numeric-owner -xpf ../layer.tar");

        var file = out.resolve("0".repeat(129) + "7").resolve("é");
        assertThat(file).hasContent("1");
        assertThat(Posix.stat(file).uid()).isEqualTo(5_000_000);
        assertThat(Posix.stat(out.resolve("hard")).links()).isEqualTo(2);
    }

    private record Written(Layer layer, ByteArrayOutputStream blob) {
        byte[] bytes() {
            return blob.toByteArray();
        }
    }

    private Written layerOf(String script) throws Exception {
        var fresh = Files.createTempDirectory(root, "overlay");
        try (var overlay = new TestOverlay(fresh, Mounts.DirectoryRenames.OFF, LayerIT::lower)) {
            overlay.run(script);
            TestOverlay.sh(overlay.upper, "find . -exec touch -h -d '2020-01-01' {} +");
            return layer(overlay, Compression.ZSTD);
        }
    }

    private static Written layer(TestOverlay overlay, Compression compression) throws IOException {
        var lower = Lower.directory(overlay.lower);
        Changes changes = overlay.scan().withExplicitDeletes(lower).withoutNoOps(lower);
        var out = new ByteArrayOutputStream();
        var layer = LayerWriter.write(changes, BodySource.directory(overlay.upper), LATEST, compression, out);
        return new Written(layer, out);
    }

    private Tree mounted(Path lower, byte[] blob) throws IOException {
        var layer = Files.createDirectories(root.resolve("layer"));
        LayerExtractor.extract(new ByteArrayInputStream(blob), layer, Lower.directory(lower), LayerLimits.DEFAULT);
        var target = Files.createDirectories(root.resolve("again"));
        Mounts.layers(List.of(layer, lower), target);
        try {
            return TreeScanner.scan(target, BodySink.digestOnly(), ScanLimits.DEFAULT)
                    .tree();
        } finally {
            Mounts.unmount(target);
        }
    }

    /** Whole seconds, and no time for directories: dropped when it is their only change. */
    private static Tree comparable(Tree tree) {
        var entries = new TreeMap<TreePath, Entry>();
        tree.entries()
                .forEach((path, entry) -> entries.put(
                        path,
                        switch (entry) {
                            case Entry.Directory directory ->
                                new Entry.Directory(directory.attributes().withModified(Instant.EPOCH));
                            case Entry.File file ->
                                new Entry.File(seconds(file.attributes()), file.size(), file.content());
                            case Entry.Symlink link -> new Entry.Symlink(seconds(link.attributes()), link.target());
                        }));
        return new Tree(entries);
    }

    private static Attributes seconds(Attributes attributes) {
        return attributes.withModified(
                Instant.ofEpochSecond(attributes.modified().getEpochSecond()));
    }

    private static void lower(Path lower) throws IOException {
        Files.createDirectories(lower.resolve("d/sub"));
        Files.createDirectories(lower.resolve("e"));
        for (var file : List.of("file", "d/x", "d/sub/z", "e/x")) {
            Files.writeString(lower.resolve(file), "content of " + file);
        }
        Posix.chmod(lower.resolve("e"), 01700);
        Posix.setModified(lower.resolve("file"), Instant.ofEpochSecond(1_500_000_000, 500));
    }
}
