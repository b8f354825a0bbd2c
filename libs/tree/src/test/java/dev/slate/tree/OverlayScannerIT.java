package dev.slate.tree;

import static dev.slate.tree.Trees.path;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.tree.posix.Posix;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What programs do in a real overlay mount arrives in the tree. */
class OverlayScannerIT {
    @TempDir
    private Path root;

    /** Each script runs on: a file, d/{x,y,sub/z}, e/x, a link and an executable. The result must be what `find` sees. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "true",
                "rm file",
                "echo more >> file",
                "echo other > new; chmod 4755 new; chown 1000:1001 new",
                "rm -r d",
                "rm -r d; mkdir d; echo again > d/x",
                "mv d moved",
                "mv d moved; rm moved/x; echo n > moved/n; mv moved/sub moved/sub2; rm moved/sub2/z",
                "mv d/sub top; mv d/x top/x",
                "mv d t; mv t d",
                "rm -r e; mv d e",
                "mv d a; mv e d; mv a e",
                "mv d/sub e/sub; mv e d/e",
                "rm -r d; mkdir d; mv e d/e",
                "rm file; mkdir file; echo x > file/x",
                "rm -r d; echo x > d",
                "ln -s /etc/passwd out; ln -s nowhere d/dangling; rm link; ln -s .. link",
                "rm -r d; ln -s e d",
                "chmod 0700 d; chown 5:6 d/x; chmod 1777 .",
                "touch -d '2001-02-03 04:05:06.789' file d/x",
                "echo 1 > h1; ln h1 h2; ln file d/hard",
                "truncate -s 1000000 sparse; : > empty; mkdir -p deep/er/and/deeper",
                "touch -- 'with space' '-dash' 'new\nline' 'é日本😀' '.wh.legal'",
            })
    void treeOfChangesEqualsWhatTheMountShows(String script) throws Exception {
        try (var overlay = new TestOverlay(root, Mounts.DirectoryRenames.ON, OverlayScannerIT::lower)) {
            overlay.run(script);
            var base = overlay.lowerTree();
            var shown = overlay.mergedTree();

            var raw = base.apply(overlay.scan().list());
            var reduced = base.apply(overlay.scan()
                    .withExplicitDeletes(Lower.tree(base))
                    .withoutNoOps(Lower.tree(base))
                    .list());

            assertThat(raw).isEqualTo(shown);
            assertThat(withoutDirectoryTimes(reduced)).isEqualTo(withoutDirectoryTimes(shown));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "true",
                "cat file",
                "touch t; rm t",
                "mkdir n; rmdir n",
                "mv d t; mv t d",
                "chmod 600 file; chmod 644 file"
            })
    void nothingChangedMeansNoChange(String script) throws Exception {
        try (var overlay = new TestOverlay(root, Mounts.DirectoryRenames.ON, OverlayScannerIT::lower)) {
            overlay.run(script);

            var changes = overlay.scan().withoutNoOps(Lower.tree(overlay.lowerTree()));

            assertThat(changes.isEmpty()).isTrue();
        }
    }

    @Test
    void keepsUserXattrs() throws Exception {
        try (var overlay = new TestOverlay(root, Mounts.DirectoryRenames.ON, OverlayScannerIT::lower)) {
            var value = new byte[] {0, (byte) 0xff, 10};
            Posix.setXattr(overlay.merged.resolve("file"), "user.note", value);

            var file = overlay.lowerTree()
                    .apply(overlay.scan().list())
                    .find(path("file"))
                    .orElseThrow();

            assertThat(file.attributes().xattrs())
                    .containsEntry("user.note", HexFormat.of().formatHex(value));
        }
    }

    @Test
    void listsWhatCannotBeKept() throws Exception {
        try (var overlay = new TestOverlay(root, Mounts.DirectoryRenames.ON, OverlayScannerIT::lower)) {
            overlay.run("mkfifo pipe; mknod zero c 1 5; rm file; mkfifo file");

            var changes = overlay.scan();

            assertThat(changes.skipped())
                    .containsExactly(
                            new Changes.Skipped(path("file"), "fifo"),
                            new Changes.Skipped(path("pipe"), "fifo"),
                            new Changes.Skipped(path("zero"), "character device"));
            assertThat(overlay.lowerTree().apply(changes.list()).find(path("file")))
                    .isEmpty();
        }
    }

    @Test
    void groupsHardLinks() throws Exception {
        try (var overlay = new TestOverlay(root, Mounts.DirectoryRenames.ON, OverlayScannerIT::lower)) {
            overlay.run("echo 1 > h1; ln h1 h2; echo 1 > alone");

            var groups = overlay.scan().list().stream()
                    .filter(Change.Put.class::isInstance)
                    .map(change -> ((Change.Put) change).linkGroup())
                    .toList();

            assertThat(groups).hasSize(3);
            assertThat(groups.get(0)).isZero();
            assertThat(groups.get(1)).isNotZero().isEqualTo(groups.get(2));
        }
    }

    @Test
    void refusesMetadataOnlyCopies() throws IOException {
        var file = Files.createFile(root.resolve("file"));
        Posix.setXattr(file, "trusted.overlay.metacopy", new byte[0]);

        assertThatThrownBy(() -> OverlayScanner.scan(root, BodySink.digestOnly(), ScanLimits.DEFAULT))
                .isInstanceOf(TreeException.class)
                .hasMessageContaining("metadata-only");
    }

    @Test
    void saysThatANameIsNotUtf8() throws Exception {
        TestOverlay.sh(root, "touch \"$(printf 'bad\\377')\"");

        assertThatThrownBy(() -> OverlayScanner.scan(root, BodySink.digestOnly(), ScanLimits.DEFAULT))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("not valid UTF-8");
    }

    @Test
    void refusesTooDeepDirectories() throws Exception {
        TestOverlay.sh(root, "for i in 1 2 3 4 5; do mkdir d; cd d; done");

        assertThatThrownBy(() -> OverlayScanner.scan(root, BodySink.digestOnly(), new ScanLimits(100, 4)))
                .isInstanceOf(TreeException.class);
    }

    private static void lower(Path lower) throws IOException {
        for (var directory : new String[] {"d/sub", "e"}) {
            Files.createDirectories(lower.resolve(directory));
        }
        for (var file : new String[] {"file", "d/x", "d/y", "d/sub/z", "e/x"}) {
            Files.writeString(lower.resolve(file), "content of " + file);
        }
        Files.createSymbolicLink(lower.resolve("link"), Path.of("file"));
    }

    private static Tree withoutDirectoryTimes(Tree tree) {
        var entries = new TreeMap<TreePath, Entry>();
        tree.entries()
                .forEach((path, entry) -> entries.put(
                        path,
                        entry instanceof Entry.Directory directory
                                ? new Entry.Directory(directory.attributes().withModified(Instant.EPOCH))
                                : entry));
        return new Tree(entries);
    }
}
