package dev.slate.controlplane.agent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** File operations against the real agent program, run as an ordinary process. */
@Timeout(60)
class AgentFilesIT {
    @TempDir
    private Path program;

    @TempDir
    private Path folder;

    private AgentProcess agent;
    private AgentClient client;
    private AgentFiles files;

    @BeforeEach
    void startAgent() throws IOException {
        agent = AgentProcess.start(program);
        client = agent.client();
        client.awaitReady(Duration.ofSeconds(10));
        files = client.files();
    }

    @AfterEach
    void stopAgent() {
        client.close();
        agent.close();
    }

    @Test
    void putsAndGetsFilesOfAnySize() throws IOException {
        for (int size : new int[] {0, 1, 65_536, 5_000_001}) {
            byte[] content = new byte[size];
            for (int i = 0; i < size; i++) {
                content[i] = (byte) (i * 31);
            }
            String path = folder.resolve("new/folder/file-" + size).toString();

            files.put(path, new ByteArrayInputStream(content), 0640);

            assertThat(get(path, 0, AgentFiles.ALL)).isEqualTo(content);
            FileEntry entry = files.stat(path);
            assertThat(entry.type()).isEqualTo(FileEntry.Type.FILE);
            assertThat(entry.size()).isEqualTo(size);
            assertThat(entry.mode()).isEqualTo(0640);
            assertThat(entry.modified())
                    .isEqualTo(Files.getLastModifiedTime(Path.of(path)).toInstant());
        }
    }

    @Test
    void getsRanges() throws IOException {
        String path = write("digits", "0123456789");

        assertThat(get(path, 3, 4)).asString(UTF_8).isEqualTo("3456");
        assertThat(get(path, 8, 100)).asString(UTF_8).isEqualTo("89");
        assertThat(get(path, 100, 1)).isEmpty();
    }

    @Test
    void keepsTheModeOfAReplacedFile() throws IOException {
        String path = write("script", "old");
        Files.setPosixFilePermissions(Path.of(path), PosixFilePermissions.fromString("rwx--x--x"));

        files.put(path, stream("new"));

        assertThat(Path.of(path)).hasContent("new");
        assertThat(files.stat(path).mode()).isEqualTo(0711);
    }

    @Test
    void failedUploadLeavesTheOldFileAndNothingElse() throws IOException {
        String path = write("file", "old");
        InputStream failing = InputStream.nullInputStream();
        failing.close();

        assertThatThrownBy(() -> files.put(path, new SequenceInputStream(stream("x".repeat(200_000)), failing)))
                .isInstanceOf(IOException.class)
                .hasMessage("Stream closed");

        assertThat(Path.of(path)).hasContent("old");
        org.awaitility.Awaitility.await()
                .untilAsserted(() -> assertThat(names(folder.toString())).containsExactly("file"));
    }

    @Test
    void uploadReplacesAPlantedLinkInsteadOfFollowingIt() throws IOException {
        String victim = write("victim", "old");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of(victim));

        files.put(link.toString(), stream("new"));

        assertThat(Path.of(victim)).hasContent("old");
        assertThat(link).hasContent("new");
    }

    @Test
    void listsEveryEntryOnceWithItsType() throws IOException {
        for (int i = 0; i < 3000; i++) {
            Files.createFile(folder.resolve("file-" + i));
        }
        Files.createDirectory(folder.resolve("folder"));
        Files.createSymbolicLink(folder.resolve("link"), Path.of("nowhere"));

        List<FileEntry> entries = new ArrayList<>();
        files.list(folder.toString(), entries::add);

        assertThat(entries).extracting(FileEntry::name).hasSize(3002).doesNotHaveDuplicates();
        assertThat(entries)
                .filteredOn(entry -> entry.type() != FileEntry.Type.FILE)
                .extracting(FileEntry::name, FileEntry::type)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("folder", FileEntry.Type.DIRECTORY),
                        org.assertj.core.groups.Tuple.tuple("link", FileEntry.Type.SYMLINK));
    }

    @Test
    void makesMovesAndRemoves() {
        String nested = folder.resolve("a/b/c").toString();
        files.makeFolder(nested);
        files.makeFolder(nested);
        files.rename(nested, folder.resolve("a/moved").toString());

        assertThat(names(folder.resolve("a").toString())).containsExactlyInAnyOrder("b", "moved");
        assertThatThrownBy(() -> files.remove(folder.resolve("a").toString(), false))
                .isInstanceOf(PlatformException.class);
        files.remove(folder.resolve("a").toString(), true);
        assertThat(names(folder.toString())).isEmpty();
    }

    @Test
    void removesALinkAndNotItsTarget() throws IOException {
        String target = write("target", "kept");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of(target));

        assertThat(files.statLink(link.toString()).type()).isEqualTo(FileEntry.Type.SYMLINK);
        assertThat(files.stat(link.toString()).type()).isEqualTo(FileEntry.Type.FILE);
        files.remove(link.toString(), true);

        assertThat(Files.exists(link, LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(Path.of(target)).hasContent("kept");
    }

    @Test
    void makesFoldersWithModesAndChangesThem() {
        String made = folder.resolve("a/made").toString();
        refused(() -> files.makeFolder(made, 0700, false), ErrorCode.NOT_FOUND);

        files.makeFolder(made, 0777, true);
        assertThat(files.stat(made).mode()).isEqualTo(0777);
        files.changeMode(made, 01750);

        assertThat(files.stat(made).mode()).isEqualTo(01750);
        refused(() -> files.makeFolder(made, 0700, false), ErrorCode.ALREADY_EXISTS);
        refused(() -> files.changeMode("/no/such/file", 0700), ErrorCode.NOT_FOUND);
    }

    @Test
    void movesWithoutOverwritingWhenAsked() throws IOException {
        String from = write("from", "new");
        String to = write("to", "old");

        refused(() -> files.rename(from, to, false), ErrorCode.ALREADY_EXISTS);
        assertThat(Path.of(to)).hasContent("old");
        files.rename(from, to, true);
        files.rename(to, from, false);

        assertThat(Path.of(from)).hasContent("new");
    }

    @Test
    void namesOfAnyBytesSurvive() throws IOException {
        byte[] name = {'n', '\n', (byte) 0xFF, (byte) 0xC3, '\\'};
        String path = folder + "/" + PathText.text(name);

        files.put(path, stream("content"));

        assertThat(names(folder.toString()))
                .singleElement()
                .satisfies(listed -> assertThat(PathText.bytes(listed)).isEqualTo(name));
        assertThat(get(path, 0, AgentFiles.ALL)).asString(UTF_8).isEqualTo("content");
        assertThat(files.stat(path).name()).isEqualTo(path);
        files.remove(path, false);
        assertThat(names(folder.toString())).isEmpty();
    }

    @Test
    void treesGoDownAndUpTheSame() throws IOException {
        Path source = Files.createDirectories(folder.resolve("source/sub"));
        Files.writeString(source.resolve("file"), "content");
        Files.writeString(source.resolve("left-out"), "no");
        ByteArrayOutputStream tar = new ByteArrayOutputStream();

        files.getTree(folder.resolve("source").toString(), List.of("left-out"), tar);
        files.putTree(folder.resolve("new/copy").toString(), new ByteArrayInputStream(tar.toByteArray()));

        assertThat(folder.resolve("new/copy/sub/file")).hasContent("content");
        assertThat(folder.resolve("new/copy/sub/left-out")).doesNotExist();
        refused(() -> files.getTree("/no/such/folder", List.of(), tar), ErrorCode.NOT_FOUND);
        refused(
                () -> files.putTree(folder.resolve("bad").toString(), stream("x".repeat(2_000_000))),
                ErrorCode.INVALID_ARGUMENT);
        refused(() -> files.putTree("/dev/null/x", stream("x".repeat(2_000_000))), ErrorCode.FAILED_PRECONDITION);
        assertThat(client.health().running()).isZero();
    }

    @Test
    void tellsChangesOnce() throws IOException {
        try (FileWatch watch = files.watch(folder.toString(), true)) {
            files.put(folder + "/put", stream("content"));
            assertThat(watch.next()).contains(change(FileChange.Kind.CREATED, "/put", ""));
            files.rename(folder + "/put", folder + "/moved");
            assertThat(watch.next()).contains(change(FileChange.Kind.MOVED, "/moved", folder + "/put"));
            files.remove(folder.toString(), true);
            assertThat(watch.next()).contains(change(FileChange.Kind.REMOVED, "/moved", ""));
            assertThat(watch.next()).contains(change(FileChange.Kind.REMOVED, "", ""));
            assertThat(watch.next()).isEmpty();
        }
        refused(() -> files.watch("/no/such/folder", false), ErrorCode.NOT_FOUND);
        Files.createDirectories(folder);
    }

    private FileChange change(FileChange.Kind kind, String name, String from) {
        return new FileChange(kind, folder + name, from);
    }

    @Test
    void saysWhatIsWrongAndStaysUsable() {
        refused(() -> files.stat("relative"), ErrorCode.INVALID_ARGUMENT);
        refused(() -> files.stat("/tmp/../etc/passwd"), ErrorCode.INVALID_ARGUMENT);
        refused(() -> files.stat("/no/such/file"), ErrorCode.NOT_FOUND);
        refused(() -> get("/dev/zero", 0, 10), ErrorCode.INVALID_ARGUMENT);
        refused(() -> get(folder.toString(), 0, 10), ErrorCode.INVALID_ARGUMENT);
        refused(() -> files.put("/proc/no/such/folder/file", stream("x".repeat(300_000))), ErrorCode.NOT_FOUND);
        refused(() -> names("/no/such/folder"), ErrorCode.NOT_FOUND);

        assertThat(client.health().running()).isZero();
    }

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, ErrorCode code) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PlatformException.class, it -> assertThat(it.code()).isEqualTo(code));
    }

    private byte[] get(String path, long offset, long length) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        files.get(path, offset, length, content);
        return content.toByteArray();
    }

    private List<String> names(String path) {
        List<String> names = new ArrayList<>();
        files.list(path, entry -> names.add(entry.name()));
        return names;
    }

    private String write(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    private static InputStream stream(String content) {
        return new ByteArrayInputStream(content.getBytes(UTF_8));
    }
}
