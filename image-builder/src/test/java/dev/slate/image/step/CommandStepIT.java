package dev.slate.image.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.image.layout.RuntimeConfig;
import dev.slate.runsc.BindMount;
import dev.slate.runsc.Cgroups;
import dev.slate.runsc.HostLayout;
import dev.slate.tree.layer.Layer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandStepIT {
    @TempDir
    Path home;

    @AfterEach
    void removeControlGroups() {
        new Cgroups(HostLayout.of(home)).removeAll();
    }

    @Test
    void makesALayerOfWhatTheCommandChanged() throws IOException {
        var images = new TestImages(home);

        var layer = images.run(
                images.base,
                "echo hello; umask 022; mkdir -p /app/empty; echo data > /app/file; ln -s file /app/link; "
                        + "ln /app/file /app/hard; chmod 4711 /app/file; rm /etc/debian_version; "
                        + "cat /proc/version; dmesg | head -1; mv /usr/share/base-files /usr/share/renamed");

        var top = unpacked(images, layer);
        assertThat(images.output()).contains("hello", "Starting gVisor");
        assertThat(top.resolve("app/file")).hasContent("data\n");
        assertThat(mode(top.resolve("app/file"))).isEqualTo(04711);
        assertThat(Files.getAttribute(top.resolve("app/hard"), "unix:ino"))
                .isEqualTo(Files.getAttribute(top.resolve("app/file"), "unix:ino"));
        assertThat(Files.readSymbolicLink(top.resolve("app/link"))).hasToString("file");
        assertThat(isWhiteout(top.resolve("etc/debian_version"))).isTrue();
        assertThat(isWhiteout(top.resolve("usr/share/base-files"))).isTrue();
        assertThat(top.resolve("usr/share/renamed/motd")).isRegularFile();
        assertThat(files(top)).noneMatch(path -> path.startsWith("proc") || path.startsWith("dev"));
    }

    @Test
    void leavesOutWhatOnlyCameAndWent() throws IOException {
        var images = new TestImages(home);

        var layer = images.run(images.base, "echo x > /etc/x; rm /etc/x; mv /etc/passwd /etc/p; mv /etc/p /etc/passwd");

        assertThat(files(unpacked(images, layer))).containsExactly("");
    }

    @Test
    void makesTheSameLayerAgain() throws InterruptedException {
        var images = new TestImages(home);
        var command = "python3 -c 'import json' && mkdir /app && echo 1 > /app/a && rm -r /usr/share/python3";

        var one = images.run(images.base, command);
        // Times are kept in whole seconds: the second run must see another one.
        Thread.sleep(1_100);
        var other = images.run(images.base, command);

        assertThat(other).isEqualTo(one);
    }

    @Test
    void seesTheLayersBelow() throws IOException {
        var images = new TestImages(home);
        var first = images.run(images.base, "mkdir /d; echo 1 > /d/x");
        var second = images.run(with(images.base, first), "rm -r /d; mkdir /d; echo 2 > /d/y");

        var third = images.run(with(images.base, first, second), "ls /d > /listing");

        assertThat(unpacked(images, first, second, third).resolve("listing")).hasContent("y\n");
    }

    @Test
    void runsInTheFolderOfTheImageWithItsVariables() throws IOException {
        var images = new TestImages(home);
        var env = new TreeMap<String, String>();
        env.put("GREETING", "hi there");

        var layer = images.run(
                images.base, "pwd; echo \"$GREETING\" > file", new RuntimeConfig(env, "/srv/app", List.of(), ""));

        assertThat(images.output()).contains("/srv/app");
        assertThat(unpacked(images, layer).resolve("srv/app/file")).hasContent("hi there\n");
    }

    @Test
    void saysWhichCommandFailedAndWhatItPrinted() {
        var images = new TestImages(home);

        assertThatThrownBy(() -> images.run(images.base, "seq 1 100; echo 'no such thing' >&2; exit 3"))
                .isInstanceOfSatisfying(
                        PlatformException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.IMAGE_BUILD_FAILED))
                .hasMessageStartingWith(
                        "step 1 (run seq 1 100; echo 'no such thing' >&2; exit 3) failed: exit code 3\n")
                .hasMessageContaining("no such thing")
                .hasMessageContaining("\n100")
                .hasMessageNotContaining("\n40\n");
        assertThat(home.resolve("images/work")).isEmptyDirectory();
    }

    @Test
    void endsCommandsThatRunTooLong() {
        var images = new TestImages(home, List.of(), Duration.ofSeconds(3));

        assertThatThrownBy(() -> images.run(images.base, "sleep 600 & sleep 600"))
                .hasMessageContaining("ran longer than a step may");
        assertThat(home.resolve("images/work")).isEmptyDirectory();
    }

    @Test
    void keepsInjectedFilesOutOfTheLayer() throws IOException {
        var resolver = Files.writeString(home.resolve("resolv.conf"), "nameserver 192.0.2.1\n");
        var ca = Files.writeString(home.resolve("ca.pem"), "not a secret\n");
        var images = new TestImages(
                home,
                List.of(BindMount.readOnly(resolver, "/etc/resolv.conf"), BindMount.readOnly(ca, "/run/slate/ca.pem")),
                Duration.ofMinutes(2));

        var layer = images.run(images.base, "cat /etc/resolv.conf /run/slate/ca.pem; echo 1 > /one");

        assertThat(images.output()).contains("192.0.2.1", "not a secret");
        assertThat(files(unpacked(images, layer))).containsExactlyInAnyOrder("", "one");
    }

    @Test
    void refusesNamesThatLayersCannotHold() {
        var images = new TestImages(home);

        assertThatThrownBy(() -> images.run(images.base, "touch /etc/.wh.passwd"))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining(".wh.passwd");
    }

    @Test
    void keepsNamesThatLookLikeTrouble() throws IOException {
        var images = new TestImages(home);
        var odd = "mkdir '/odd'; cd /odd; touch -- '-rf' 'a b' 'ü' $(printf 'new\\nline' | tr '\\n' '_') 'x;y'; "
                + "python3 -c 'open(\"new\\nline\",\"w\")'; ln -s ../../../../etc/shadow escape";

        var layer = images.run(images.base, odd);

        assertThat(files(unpacked(images, layer).resolve("odd")))
                .containsExactlyInAnyOrder("", "-rf", "a b", "ü", "new_line", "x;y", "new\nline", "escape");
    }

    @Test
    void cannotWriteOutsideThroughLinks() throws IOException {
        var images = new TestImages(home);
        var target = Files.createDirectory(home.resolve("outside"));
        var linked = images.run(images.base, "ln -s " + target + " /srv/link; rm -rf /run; ln -s " + target + " /run");
        var ca = Files.writeString(home.resolve("ca.pem"), "ca\n");
        var hostile = new TestImages(home, List.of(BindMount.readOnly(ca, "/run/slate/ca.pem")), Duration.ofMinutes(2));

        var config = new RuntimeConfig(new TreeMap<>(), "/srv/link/app", List.of(), "");
        try {
            hostile.run(with(hostile.base, linked), "echo 1 > file", config);
        } catch (PlatformException _) {
            // Failing is as good as succeeding inside; what counts is the host.
        }

        assertThat(target).isEmptyDirectory();
    }

    private static List<Layer> with(List<Layer> layers, Layer... more) {
        var all = new ArrayList<>(layers);
        all.addAll(List.of(more));
        return all;
    }

    private static Path unpacked(TestImages images, Layer... layers) {
        return images.directories.prepare(with(images.base, layers)).getFirst();
    }

    private static List<String> files(Path root) throws IOException {
        try (Stream<Path> walk = Files.walk(root)) {
            return walk.map(path -> root.relativize(path).toString()).toList();
        }
    }

    private static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777;
    }

    private static boolean isWhiteout(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther();
    }
}
