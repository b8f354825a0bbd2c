package dev.slate.image.base;

import dev.slate.tree.posix.Directory;
import dev.slate.tree.posix.Posix;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Removes from a fresh Debian system what differs between two makings, and what belongs to this host. */
final class TidyRoot {
    /** Logs and caches hold times and inode numbers; the devices are gVisor's. */
    private static final List<String> EMPTIED = List.of(
            "dev", "proc", "sys", "run", "tmp", "var/log", "var/cache/apt", "var/cache/ldconfig", "var/lib/apt/lists");

    private static final List<String> REMOVED = List.of(
            "etc/.pwd.lock",
            "etc/group-",
            "etc/gshadow-",
            "etc/passwd-",
            "etc/shadow-",
            "etc/subgid-",
            "etc/subuid-",
            "etc/hostname",
            "var/cache/debconf/config.dat-old",
            "var/cache/debconf/templates.dat-old",
            "var/lib/dpkg/diversions-old",
            "var/lib/dpkg/status-old",
            "var/lib/systemd/random-seed");

    /** Day 20000 of the Unix era, as the day on which all accounts were made. */
    private static final String SHADOW_DAY = "20000";

    private TidyRoot() {}

    static void tidy(Path root) throws IOException {
        for (String folder : EMPTIED) {
            empty(root.resolve(folder));
        }
        for (String file : REMOVED) {
            Files.deleteIfExists(root.resolve(file));
        }
        makePlain(root, "etc/machine-id", "");
        makePlain(root, "etc/resolv.conf", "");
        makePlain(root, "etc/hosts", "127.0.0.1 localhost\n::1 localhost\n");
        makeSameDay(root.resolve("etc/shadow"));
    }

    private static void empty(Path folder) throws IOException {
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (var children = Files.list(folder)) {
                for (Path child : children.toList()) {
                    Directory.deleteTree(child);
                }
            }
        }
    }

    private static void makePlain(Path root, String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.deleteIfExists(file);
        Files.writeString(file, content);
        Posix.chmod(file, 0644);
    }

    private static void makeSameDay(Path shadow) throws IOException {
        if (!Files.exists(shadow, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        String lines = Files.readString(shadow, StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.replaceFirst("^([^:]*:[^:]*:)[0-9]+:", "$1" + SHADOW_DAY + ":"))
                .collect(Collectors.joining("\n", "", "\n"));
        Files.writeString(shadow, lines);
    }
}
