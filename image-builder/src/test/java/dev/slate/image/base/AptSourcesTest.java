package dev.slate.image.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AptSourcesTest {
    @TempDir
    Path root;

    @BeforeEach
    void debianHost() throws IOException {
        write("etc/os-release", "ID=debian\nVERSION_CODENAME=bookworm\n");
    }

    @Test
    void readsStanzas() throws IOException {
        write("etc/apt/sources.list.d/debian.sources", """
                Types: deb deb-src
                # a comment
                URIs: http://mirror.example.com/debian
                Suites: bookworm bookworm-updates bookworm-backports
                Components: main

                Types: deb
                URIs: http://mirror.example.com/security
                Suites:
                 bookworm-security
                Components: main

                Types: deb
                Enabled: no
                URIs: http://off.example.com/debian
                Suites: bookworm
                """);

        assertThat(new AptSources(root).linesFor("trixie"))
                .containsExactly(
                        "deb http://mirror.example.com/debian trixie main",
                        "deb http://mirror.example.com/debian trixie-updates main",
                        "deb http://mirror.example.com/security trixie-security main");
    }

    @Test
    void readsLines() throws IOException {
        write("etc/apt/sources.list", """
                # deb http://old.example.com/debian bookworm main
                deb [signed-by=/usr/share/keyrings/debian.gpg arch=amd64] http://mirror.example.com/debian bookworm main contrib
                deb-src http://mirror.example.com/debian bookworm main
                deb https://other.example.com/ nodistro main
                """);

        assertThat(new AptSources(root).linesFor("trixie"))
                .containsExactly("deb http://mirror.example.com/debian trixie main");
    }

    @Test
    void ignoresFilesThatAptIgnores() throws IOException {
        write("etc/apt/sources.list.d/debian.list.disabled", "deb http://mirror.example.com/debian bookworm main\n");

        assertThat(new AptSources(root).linesFor("trixie")).isEmpty();
    }

    @Test
    void knowsNoMirrorOnAnotherSystem() throws IOException {
        write("etc/os-release", "ID=ubuntu\nVERSION_CODENAME=noble\n");
        write("etc/apt/sources.list", "deb http://mirror.example.com/ubuntu noble main\n");

        assertThat(new AptSources(root).linesFor("trixie")).isEmpty();
    }

    private void write(String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, content);
    }
}
