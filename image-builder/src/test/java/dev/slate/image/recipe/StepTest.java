package dev.slate.image.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.PlatformException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StepTest {
    private static final String SHA256 = "ab".repeat(32);

    @ParameterizedTest
    @ValueSource(strings = {"python3-pandas", "g++", "libc6:amd64", "nginx=1.26.3-3+deb13u1", "curl/trixie-backports"})
    void takesNamesOfDebianPackages(String name) {
        assertThat(new Step.AptInstall(List.of(name)).command()).contains(" " + name + ";");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a", "-y", "--force-yes", "curl; rm -rf /", "curl\nwget", "$(id)", "Curl", "curl -y", "../x"
            })
    void refusesWhatIsNoDebianPackage(String name) {
        assertThatThrownBy(() -> new Step.AptInstall(List.of(name)))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("apt package");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  \n ", "echo \0"})
    void refusesCommandsThatNoShellTakes(String command) {
        assertThatThrownBy(() -> new Step.RunCommand(command))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("run command");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "/", "app.py", "/app/../etc/shadow", "/app//x", "/app/.", "/app/", "/a\0b", "/app/.wh.x"})
    void refusesPathsThatAreNotPlain(String path) {
        assertThatThrownBy(() -> body(path))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("added file");
    }

    @Test
    void refusesNamesThatNoFileSystemTakes() {
        assertThatThrownBy(() -> body("/" + "ü".repeat(128))).hasMessageContaining("255 bytes");
    }

    @Test
    void refusesTheSamePathTwice() {
        assertThatThrownBy(() -> new Step.AddFiles(List.of(body("/a"), body("/a"))))
                .hasMessageContaining("each path once");
    }

    @Test
    void refusesFilesBelowALink() {
        var link = new AddedFile("/app", 0, new AddedFile.Content.Link("/etc"));

        assertThatThrownBy(() -> new Step.AddFiles(List.of(link, body("/app/passwd"))))
                .hasMessageContaining("no file or link at /app");
    }

    @Test
    void givesFilesAndFoldersTheirUsualModes() {
        assertThat(body("/a").mode()).isEqualTo(0644);
        assertThat(new AddedFile("/d", 0, new AddedFile.Content.Directory()).mode())
                .isEqualTo(0755);
    }

    @Test
    void refusesUpperCaseDigests() {
        assertThatThrownBy(() -> new AddedFile.Content.Body("AB".repeat(32))).hasMessageContaining("lower-case");
    }

    private static AddedFile body(String path) {
        return new AddedFile(path, 0, new AddedFile.Content.Body(SHA256));
    }
}
