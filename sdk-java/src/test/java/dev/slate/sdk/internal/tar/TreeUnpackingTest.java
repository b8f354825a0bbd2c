package dev.slate.sdk.internal.tar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.slate.sdk.SandboxPath;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tars from a hostile sandbox, and what a directory keeps on its way up and down. */
class TreeUnpackingTest {

    @TempDir
    private Path folder;

    private Path target;
    private Path victim;

    @BeforeEach
    void plantVictim() throws IOException {
        target = folder.resolve("target");
        victim = Files.writeString(folder.resolve("victim"), "old");
    }

    @ParameterizedTest
    @CsvSource({
        "../victim, 0, ''",
        "a/../../victim, 0, ''",
        "/tmp/slate-victim, 0, ''",
        "a, 1, ../victim",
        "a, 1, /etc/passwd",
        "a, 1, nothing",
        "a, 3, ''",
        "a, 4, ''",
        "a, 6, ''",
        "a, S, ''",
        "., 0, ''"
    })
    void refusesWhatLeadsOutOrIsNoFile(String name, char type, String link) throws IOException {
        var tar = tar(member(name, type, link, "new"));

        assertThatExceptionOfType(UnsafeTarException.class).isThrownBy(() -> unpack(tar));

        assertNothingOutside();
        assertThat(Path.of("/tmp/slate-victim")).doesNotExist();
    }

    @Test
    void followsNoLinkOfTheTarOrOfTheDirectory() throws IOException {
        Files.createDirectories(target);
        Files.createSymbolicLink(target.resolve("planted"), Path.of(".."));
        Files.createSymbolicLink(target.resolve("file"), victim);

        unpack(tar(member("file", '0', "", "new")));
        for (var name : new String[] {"planted/victim", "own/victim"}) {
            var hostile = tar(member("own", '2', "sub", ""), member(name, '0', "", "new"));
            assertThatExceptionOfType(UnsafeTarException.class).isThrownBy(() -> unpack(hostile));
        }
        var hardLink = tar(member("hard", '1', "planted/victim", ""));
        assertThatExceptionOfType(UnsafeTarException.class).isThrownBy(() -> unpack(hardLink));

        assertThat(target.resolve("file")).hasContent("new");
        assertNothingOutside();
    }

    @ParameterizedTest
    @CsvSource({
        "/etc/passwd, false",
        "../victim, false",
        "sub/../../victim, false",
        "sub/.., false",
        "sub/file, true",
        "./file, true"
    })
    void leavesOutLinksThatLeadOut(String link, boolean kept) throws IOException {
        var result = unpack(tar(member("link", '2', link, "")));

        assertThat(Files.isSymbolicLink(target.resolve("link"))).isEqualTo(kept);
        assertThat(result.leftOut()).hasSize(kept ? 0 : 1);
    }

    @Test
    void keepsTheLastOfADuplicateAndNoDangerousBits() throws IOException {
        unpack(tar(member("a", '0', "", "first"), member("a", '0', "", "second")));

        assertThat(target.resolve("a")).hasContent("second");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target.resolve("a"))))
                .isEqualTo("rw-r--r--");
    }

    @Test
    void noticesATarThatIsCutOff() throws IOException {
        var whole = tar(member("a", '0', "", "content"));

        for (int length : new int[] {0, 100, 512, 515, 1024}) {
            assertThatIOException().isThrownBy(() -> unpack(java.util.Arrays.copyOf(whole, length)));
        }
    }

    @Test
    void aDirectoryComesBackAsItWas() throws IOException {
        var source = folder.resolve("source");
        Files.createDirectories(source.resolve("sub"));
        var strange = LocalNames.path(new byte[] {'a', '\n', (byte) 0xFF, (byte) 0xC3, '"'});
        var unicode = LocalNames.path("späß-\u4f60".getBytes(StandardCharsets.UTF_8));
        Files.writeString(source.resolve(strange), "strange");
        Files.writeString(source.resolve(unicode), "x".repeat(100_000));
        Files.setPosixFilePermissions(source.resolve(unicode), PosixFilePermissions.fromString("rwxr-x--x"));
        Files.createLink(source.resolve("same"), source.resolve(strange));
        Files.createSymbolicLink(source.resolve("sub/link"), Path.of("..").resolve(strange));
        Files.writeString(source.resolve("sub/" + "long".repeat(50)), "long");
        var time = FileTime.from(Instant.ofEpochSecond(1_000_000_000));
        Files.setLastModifiedTime(source.resolve("sub"), time);

        byte[] tar;
        try (var packed = new DirectoryTar(source, _ -> {})) {
            tar = packed.readAllBytes();
        }
        var result = unpack(tar);

        assertThat(target.resolve(strange)).hasContent("strange");
        assertThat(target.resolve(unicode)).hasContent("x".repeat(100_000));
        assertThat(Files.getPosixFilePermissions(target.resolve(unicode)))
                .isEqualTo(PosixFilePermissions.fromString("rwxr-x--x"));
        assertThat(Files.getAttribute(target.resolve("same"), "unix:nlink")).isEqualTo(2);
        assertThat(target.resolve("sub/link")).hasContent("strange");
        assertThat(target.resolve("sub/" + "long".repeat(50))).hasContent("long");
        assertThat(Files.getLastModifiedTime(target.resolve("sub"))).isEqualTo(time);
        assertThat(result.leftOut()).isEmpty();
    }

    @Test
    void textOfAPathLosesNothing() {
        for (var bytes : new byte[][] {
            {},
            {'/', 'a', '\n', (byte) 0xFF},
            {(byte) 0xE2, (byte) 0x82, 'x', (byte) 0xE2, (byte) 0x82},
            "/späß/\u4f60/\ud83d\ude00".getBytes(StandardCharsets.UTF_8),
            Character.toString(0x10FFFF).getBytes(StandardCharsets.UTF_8),
            Character.toString(0x10FF80).getBytes(StandardCharsets.UTF_8)
        }) {
            assertThat(SandboxPath.bytes(SandboxPath.of(bytes))).isEqualTo(bytes);
        }
        assertThat(SandboxPath.of("/späß".getBytes(StandardCharsets.UTF_8))).isEqualTo("/späß");
        assertThat(SandboxPath.of(new byte[] {(byte) 0xFF}).codePointAt(0)).isEqualTo(0x10FFFF);
    }

    private void assertNothingOutside() throws IOException {
        assertThat(victim).hasContent("old");
        assertThat(Files.exists(folder.resolve("a"), LinkOption.NOFOLLOW_LINKS)).isFalse();
        try (var children = Files.list(folder)) {
            assertThat(children.map(Path::getFileName).map(Path::toString))
                    .containsExactlyInAnyOrder("target", "victim");
        }
    }

    private TreeUnpacking.Result unpack(byte[] tar) throws IOException {
        return TreeUnpacking.unpack(new ByteArrayInputStream(tar), target, _ -> {});
    }

    private static byte[] tar(byte[]... members) {
        var tar = new ByteArrayOutputStream();
        for (var member : members) {
            tar.writeBytes(member);
        }
        tar.writeBytes(new byte[2 * TarFormat.BLOCK]);
        return tar.toByteArray();
    }

    private static byte[] member(String name, char type, String link, String content) {
        var bytes = content.getBytes(StandardCharsets.UTF_8);
        var header = TarFormat.header(new TarMember(
                TarMember.Type.FILE,
                name.getBytes(StandardCharsets.UTF_8),
                link.getBytes(StandardCharsets.UTF_8),
                06644,
                type == '0' || type == 'S' ? bytes.length : 0,
                0));
        header[TarFormat.TYPE] = (byte) type;
        System.arraycopy(
                "%06o\0 ".formatted(TarFormat.checksum(header)).getBytes(StandardCharsets.US_ASCII),
                0,
                header,
                TarFormat.CHECKSUM,
                8);
        if (type != '0' && type != 'S') {
            return header;
        }
        var member = java.util.Arrays.copyOf(header, header.length + bytes.length + TarFormat.padding(bytes.length));
        System.arraycopy(bytes, 0, member, header.length, bytes.length);
        return member;
    }
}
