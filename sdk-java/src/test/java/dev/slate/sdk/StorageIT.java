package dev.slate.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.slate.testing.FakePlatform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images and volumes: what is read from this machine and sent. */
class StorageIT {

    @TempDir
    private Path folder;

    private FakePlatform platform;
    private Slate slate;

    @BeforeEach
    void connect() {
        platform = FakePlatform.start();
        slate = TestSlate.connect(platform);
    }

    @AfterEach
    void close() {
        slate.close();
        platform.close();
    }

    @Test
    void buildsOnceAndSendsAFileOnce() throws IOException {
        var image = Image.debianSlim().addLocalFile(write("agent.py", "print(1)"), "/app/agent.py");
        var phases = new ArrayList<String>();

        var first = slate.images().build(image, phases::add);
        var second = slate.images().build(image, phases::add);

        assertThat(second.digest()).isEqualTo(first.digest());
        assertThat(phases).containsExactly("image: step ADD_FILES");
        assertThat(platform.uploads()).hasSize(1);
        assertThat(slate.images().list()).containsExactly(first);
    }

    @Test
    void reportsAFailedStep() {
        assertThatExceptionOfType(SlateException.BuildFailed.class)
                .isThrownBy(() -> slate.images().build(Image.debianSlim().runCommands("false")))
                .withMessage("false ended with 1");
    }

    @Test
    void storesADirectoryAsOneVersion() throws IOException {
        write("tree/a.txt", "a");
        write("tree/sub/b.txt", "b");
        write("tree/.git/config", "no");
        Files.createDirectory(folder.resolve("tree/empty"));
        Files.createSymbolicLink(folder.resolve("tree/link"), Path.of("a.txt"));
        Files.setPosixFilePermissions(folder.resolve("tree/a.txt"), PosixFilePermissions.fromString("rwx------"));
        var volume = slate.volume("data").createIfMissing();

        var version = volume.put(folder.resolve("tree"), "/");

        assertThat(version.number()).isEqualTo(1);
        assertThat(volume.list())
                .extracting(file -> file.path() + " " + file.type() + " " + Integer.toOctalString(file.mode()))
                .containsExactly("a.txt FILE 755", "empty DIRECTORY 0", "link SYMLINK 0", "sub/b.txt FILE 644");
    }

    @Test
    void readsTheLatestAndOlderVersions() {
        var volume = slate.volume("data").createIfMissing();
        var first = volume.putText("a.txt", "one");
        volume.upload(upload -> upload.putText("a.txt", "two").putText("b.txt", "new"));

        assertThat(volume.readText("a.txt")).isEqualTo("two");
        assertThat(volume.at(first).readText("/a.txt")).isEqualTo("one");
        assertThat(volume.latestVersion().number()).isEqualTo(2);
        assertThat(volume.versions()).extracting(VolumeVersion::number).containsExactly(2L, 1L);
    }

    @Test
    void keepsTheNameOfAFileThatIsPutIntoADirectory() throws IOException {
        var volume = slate.volume("data").createIfMissing();

        volume.put(write("loans.csv", "id"), "in/");

        assertThat(volume.list()).extracting(VolumeFile::path).containsExactly("in/loans.csv");
    }

    @Test
    void deletesAVolume() {
        var volume = slate.volume("data").create();
        assertThat(slate.volumes().list()).extracting(Volumes.Entry::name).containsExactly("data");

        volume.delete();

        assertThat(slate.volumes().list()).isEmpty();
        assertThatExceptionOfType(SlateException.NotFound.class).isThrownBy(volume::delete);
    }

    @Test
    void refusesAPathThatIsNotThere() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> slate.volume("data").put(folder.resolve("none"), "x"))
                .withMessageContaining("none (expected: an existing file or directory)");
    }

    private Path write(String path, String content) throws IOException {
        var file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }
}
