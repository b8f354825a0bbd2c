package dev.slate.e2e.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Platform;
import dev.slate.e2e.stack.Shell;
import dev.slate.sdk.FileChange;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.SandboxFile;
import dev.slate.sdk.SandboxPath;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files in and out of a real sandbox: nothing is lost, and nothing leads outside. */
@OnPlatform
@Timeout(240)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FilesE2E {
    private Sandbox sandbox;

    @TempDir
    private Path folder;

    @BeforeAll
    void start(Slate slate) {
        sandbox = slate.sandbox()
                .image(Platform.PYTHON)
                .memory("2Gi")
                .lifetime(Duration.ofMinutes(20))
                .run();
    }

    @AfterAll
    void end() {
        sandbox.close();
    }

    @Test
    @Tag("long")
    void aGibibyteGoesUpAndDownUnchangedInFlatMemory(Platform platform) throws IOException {
        Path up = folder.resolve("up");
        Shell.run("dd", "if=/dev/urandom", "of=" + up, "bs=1M", "count=1024", "status=none");
        String digest = Shell.run("sha256sum", up.toString()).substring(0, 64);
        long before = resident(platform);

        long begin = System.nanoTime();
        sandbox.files().put(up, "/tmp/big");
        long middle = System.nanoTime();
        Path down = folder.resolve("down");
        sandbox.files().get("/tmp/big", down);
        long end = System.nanoTime();

        assertThat(sandbox.exec("sha256sum", "/tmp/big").orThrow().stdout()).startsWith(digest);
        assertThat(Shell.run("sha256sum", down.toString())).startsWith(digest);
        long grown = resident(platform) - before;
        System.out.printf(
                "files: 1 GiB up %d ms, down %d ms, platform grew %d MiB%n",
                (middle - begin) / 1_000_000, (end - middle) / 1_000_000, grown >> 20);
        assertThat(grown).isLessThan(400L << 20);
        sandbox.files().remove("/tmp/big");
        Files.delete(up);
        Files.delete(down);
    }

    @Test
    void aPutIsNotLedAstray() {
        sh("mkdir -p /tmp/put && echo -n old > /tmp/put/victim && ln -s victim /tmp/put/link");
        var files = sandbox.files();

        files.putText("/tmp/put/link", "new");
        assertThatThrownBy(() -> files.putText("/tmp/put/../put/victim", "new"))
                .isInstanceOf(SlateException.InvalidArgument.class);
        assertThatThrownBy(() -> files.putText("tmp/put/victim", "new"))
                .isInstanceOf(SlateException.InvalidArgument.class);

        assertThat(files.readText("/tmp/put/victim")).isEqualTo("old");
        assertThat(files.readText("/tmp/put/link")).isEqualTo("new");
    }

    @Test
    void namesOfAnyBytesSurviveUpAndDown() throws IOException {
        byte[] name = {'n', '\n', (byte) 0xFF, (byte) 0xC3, '\'', '\\'};
        String path = "/tmp/names/" + SandboxPath.of(name);
        var files = sandbox.files();

        files.putText(path, "content");
        files.downloadDirectory("/tmp/names", folder.resolve("names"));
        files.uploadDirectory(folder.resolve("names"), "/tmp/again");

        assertThat(files.list("/tmp/again"))
                .extracting(SandboxFile::path)
                .containsExactly("/tmp/again/" + SandboxPath.of(name));
        assertThat(files.readText("/tmp/again/" + SandboxPath.of(name))).isEqualTo("content");
        assertThat(sh("python3 -c \"import os; print(os.listdir(b'/tmp/again'))\""))
                .contains("b\"n\\n\\xff\\xc3'\\\\\"");
    }

    @Test
    void hostileTarsChangeNothingOutside(Platform platform) throws Exception {
        sh("mkdir -p /tmp/host/in && echo -n old > /tmp/host/victim && ln -s .. /tmp/host/in/planted");
        List<String> makers = List.of(
                "add('../victim')",
                "add('/tmp/host/victim')",
                "add('planted/victim')",
                "add('own', tarfile.SYMTYPE, '..'); add('own/victim')",
                "add('hard', tarfile.LNKTYPE, '../victim'); add('hard')",
                "add('hard', tarfile.LNKTYPE, 'planted/victim'); add('hard')",
                "add('device', tarfile.CHRTYPE)",
                "add('pipe', tarfile.FIFOTYPE)",
                "add('sparse', tarfile.GNUTYPE_SPARSE)");
        for (String maker : makers) {
            Path tar = hostileTar(maker);
            HttpResponse<String> reply = putTree(platform, "/tmp/host/in", tar);
            assertThat(reply.statusCode()).as(maker + reply.body()).isEqualTo(400);
            assertThat(reply.body()).contains("INVALID_ARGUMENT");
        }
        Path twice = hostileTar("add('twice'); add('twice')");
        assertThat(putTree(platform, "/tmp/host/in", twice).statusCode()).isEqualTo(204);

        assertThat(sh("cat /tmp/host/victim; ls /tmp/host")).isEqualTo("oldin\nvictim\n");
        assertThat(sh("cat /tmp/host/in/twice")).isEqualTo("new");
    }

    @Test
    void aDownloadLeavesOutLinksThatLeadOut() throws IOException {
        sh("mkdir -p /tmp/down/sub && cd /tmp/down && echo -n in > sub/file && ln -s sub/file ok"
                + " && ln -s /etc/passwd out && ln -s ../../../etc/passwd out2 && mkfifo pipe && chmod 4755 sub/file"
                + " && ln sub/file same");

        var copy = sandbox.files().downloadDirectory("/tmp/down", folder.resolve("down-dir"));

        assertThat(copy.leftOut()).containsExactlyInAnyOrder("out", "out2");
        assertThat(folder.resolve("down-dir/ok")).hasContent("in");
        assertThat(Shell.run(
                        "stat", "-c", "%a %h", folder.resolve("down-dir/same").toString()))
                .isEqualTo("755 2\n");
        assertThat(Shell.run("ls", folder.resolve("down-dir").toString())).isEqualTo("ok\nsame\nsub\n");
    }

    @Test
    void eachChangeIsToldOnce() {
        var files = sandbox.files();
        files.mkdir("/tmp/watched/sub");
        List<String> told = new ArrayList<>();
        try (var watch = files.watch("/tmp/watched", true)) {
            files.putText("/tmp/watched/put", "1");
            told.add(next(watch.next()));
            sh("echo 1 > /tmp/watched/sub/written");
            told.add(next(watch.next()));
            sh("echo 2 >> /tmp/watched/sub/written");
            told.add(next(watch.next()));
            files.putText("/tmp/watched/put", "2");
            told.add(next(watch.next()));
            files.move("/tmp/watched/put", "/tmp/watched/sub/moved");
            told.add(next(watch.next()));
            sh("rm -r /tmp/watched/sub/moved");
            told.add(next(watch.next()));
            sh("mkdir -p /tmp/watched/a/b && echo 1 > /tmp/watched/a/b/c");
            told.add(next(watch.next()));
            told.add(next(watch.next()));
            told.add(next(watch.next()));
            sh("rm -r /tmp/watched");
            watch.forEachRemaining(change -> told.add(next(change)));
        }
        assertThat(told.subList(0, 9))
                .containsExactly(
                        "CREATED /put",
                        "CREATED /sub/written",
                        "MODIFIED /sub/written",
                        "MODIFIED /put",
                        "MOVED /sub/moved",
                        "REMOVED /sub/moved",
                        "CREATED /a",
                        "CREATED /a/b",
                        "CREATED /a/b/c");
        assertThat(told.subList(9, told.size()))
                .containsExactlyInAnyOrder(
                        "REMOVED /sub/written",
                        "REMOVED /sub",
                        "REMOVED /a/b/c",
                        "REMOVED /a/b",
                        "REMOVED /a",
                        "REMOVED ");
    }

    @Test
    @Tag("long")
    @Timeout(480)
    void aHundredThousandSmallFilesGoUpAndDown() throws IOException {
        Path many = Files.createDirectories(folder.resolve("many"));
        for (int i = 0; i < 100_000; i++) {
            Path part = many.resolve("d" + i % 100);
            if (i < 100) {
                Files.createDirectory(part);
            }
            Files.writeString(part.resolve("file-" + i), "content " + i);
        }

        long begin = System.nanoTime();
        sandbox.files().uploadDirectory(many, "/tmp/many");
        System.out.printf("files: 100,000 files up %d ms%n", (System.nanoTime() - begin) / 1_000_000);

        assertThat(sh("find /tmp/many -type f | wc -l").strip()).isEqualTo("100000");
        assertThat(sandbox.files().readText("/tmp/many/d99/file-99999")).isEqualTo("content 99999");
        assertThat(sandbox.files().list("/tmp/many/d0")).hasSize(1000);

        Path down = folder.resolve("down");
        begin = System.nanoTime();
        sandbox.files().downloadDirectory("/tmp/many", down);
        System.out.printf("files: 100,000 files down %d ms%n", (System.nanoTime() - begin) / 1_000_000);

        assertThat(Shell.run("diff", "-r", many.toString(), down.toString())).isEmpty();
    }

    @Test
    void theCommandLineCopiesAndLists(Platform platform) throws IOException {
        Path local = Files.createDirectories(folder.resolve("cli/sub")).resolve("file");
        Files.writeString(local, "content");
        String box = sandbox.id();

        platform.cli("sandbox", "cp", local.toString(), box + ":/tmp/cli-one").orThrow();
        platform.cli("sandbox", "cp", "-r", folder.resolve("cli").toString(), box + ":/tmp/cli")
                .orThrow();
        platform.cli(
                        "sandbox",
                        "cp",
                        box + ":/tmp/cli-one",
                        folder.resolve("cli-one").toString())
                .orThrow();
        platform.cli(
                        "sandbox",
                        "cp",
                        "-r",
                        box + ":/tmp/cli",
                        folder.resolve("cli-back").toString())
                .orThrow();

        assertThat(folder.resolve("cli-one")).hasContent("content");
        assertThat(folder.resolve("cli-back/sub/file")).hasContent("content");
        assertThat(platform.cli("sandbox", "ls", box, "/tmp/cli/sub").orThrow().stdout())
                .contains("-0644")
                .contains("/tmp/cli/sub/file");
        assertThat(platform.cli("sandbox", "ls", "--json", box, "/tmp/cli")
                        .orThrow()
                        .stdout())
                .contains("\"path\" : \"/tmp/cli/sub\"");
    }

    private static String next(FileChange change) {
        return change.kind() + " " + change.path().substring("/tmp/watched".length());
    }

    private String sh(String script) {
        return sandbox.exec("sh", "-c", script).orThrow().stdout();
    }

    private Path hostileTar(String maker) {
        Path tar = folder.resolve("hostile.tar");
        Shell.run("python3", "-c", """
                import io, sys, tarfile
                tar = tarfile.open(sys.argv[1], 'w', format=tarfile.GNU_FORMAT)
                def add(name, kind=tarfile.REGTYPE, link=''):
                    member = tarfile.TarInfo(name)
                    member.type, member.linkname = kind, link
                    content = b'new' if kind == tarfile.REGTYPE else b''
                    member.size = len(content)
                    tar.addfile(member, io.BytesIO(content))
                """ + maker + "\ntar.close()", tar.toString());
        return tar;
    }

    private HttpResponse<String> putTree(Platform platform, String path, Path tar)
            throws IOException, InterruptedException {
        var token = Files.readString(platform.home().resolve("owner-token")).strip();
        var address = URI.create(platform.endpoint() + "/v1/sandboxes/" + sandbox.id() + "/tree?path=" + path);
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(address)
                            .header("Authorization", "Bearer " + token)
                            .PUT(HttpRequest.BodyPublishers.ofFile(tar))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    /** Bytes in memory of the platform, which is control plane and all. */
    private static long resident(Platform platform) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + platform.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .sum();
    }
}
