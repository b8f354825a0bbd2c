package dev.slate.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentBinaryIT {
    @TempDir
    private Path folder;

    @Test
    void copiesAnExecutableProgramOverAnOlderOne() throws Exception {
        Path target = folder.resolve("bin/agent");
        Files.createDirectories(target.getParent());
        Files.writeString(target, "older");

        AgentBinary.load().copyTo(target);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target)))
                .isEqualTo("rwxr-xr-x");
        assertThat(target.getParent()).isDirectoryContaining(path -> path.equals(target));
        Process process =
                new ProcessBuilder(target.toString()).redirectErrorStream(true).start();
        assertThat(new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                .contains("usage: slate-agent");
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void versionIsTheDigestOfTheProgram() {
        assertThat(AgentBinary.load().version())
                .matches("[0-9a-f]{64}")
                .isEqualTo(AgentBinary.load().version());
    }
}
