package dev.slate.image.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** Reads which Debian archives this host installs from, in both formats that apt knows. */
final class AptSources {
    private final Path root;

    AptSources(Path root) {
        this.root = root;
    }

    /** Lines for another suite of the same archives; none on a host that is not Debian. */
    List<String> linesFor(String suite) {
        String own = osRelease("VERSION_CODENAME");
        if (!osRelease("ID").equals("debian") || own.isEmpty()) {
            return List.of();
        }
        Set<String> lines = new LinkedHashSet<>();
        for (Archive archive : archives()) {
            for (String pocket : List.of("", "-updates", "-security")) {
                if (archive.suite().equals(own + pocket)) {
                    lines.add("deb " + archive.uri() + " " + suite + pocket + " main");
                }
            }
        }
        return List.copyOf(lines);
    }

    private record Archive(String uri, String suite) {}

    private List<Archive> archives() {
        List<Archive> archives = new ArrayList<>();
        for (Path file : files()) {
            try {
                String text = Files.readString(file);
                if (file.toString().endsWith(".sources")) {
                    archives.addAll(stanzas(text));
                } else {
                    text.lines().forEach(line -> archives.addAll(line(line)));
                }
            } catch (IOException _) {
                // What cannot be read does not count; with nothing left the default mirror is used.
            }
        }
        return archives;
    }

    private List<Path> files() {
        List<Path> files = new ArrayList<>();
        Path main = root.resolve("etc/apt/sources.list");
        if (Files.isReadable(main)) {
            files.add(main);
        }
        Path parts = root.resolve("etc/apt/sources.list.d");
        if (Files.isDirectory(parts)) {
            try (Stream<Path> children = Files.list(parts)) {
                children.filter(child -> child.toString().endsWith(".list")
                                || child.toString().endsWith(".sources"))
                        .sorted()
                        .forEach(files::add);
            } catch (IOException _) {
                return files;
            }
        }
        return files;
    }

    private static List<Archive> line(String line) {
        String[] words = line.replaceFirst("\\[[^]]*]", " ").strip().split("\\s+", -1);
        return words.length >= 4 && words[0].equals("deb") ? List.of(new Archive(words[1], words[2])) : List.of();
    }

    private static List<Archive> stanzas(String text) {
        List<Archive> archives = new ArrayList<>();
        for (String stanza : text.split("\\n\\s*\\n", -1)) {
            boolean binary = List.of(words(stanza, "types")).contains("deb");
            boolean disabled = List.of(words(stanza, "enabled")).contains("no");
            if (binary && !disabled) {
                for (String uri : words(stanza, "uris")) {
                    for (String suite : words(stanza, "suites")) {
                        archives.add(new Archive(uri, suite));
                    }
                }
            }
        }
        return archives;
    }

    private static String[] words(String stanza, String field) {
        StringBuilder value = new StringBuilder();
        boolean inside = false;
        for (String line : stanza.lines().filter(line -> !line.startsWith("#")).toList()) {
            if (!line.startsWith(" ") && !line.startsWith("\t")) {
                int colon = line.indexOf(':');
                inside = colon > 0
                        && line.substring(0, colon).toLowerCase(Locale.ROOT).equals(field);
                value.append(inside ? line.substring(colon + 1) : "");
            } else if (inside) {
                value.append(' ').append(line);
            }
        }
        return value.toString().strip().split("\\s+", -1);
    }

    private String osRelease(String key) {
        try (Stream<String> lines = Files.lines(root.resolve("etc/os-release"))) {
            return lines.filter(line -> line.startsWith(key + "="))
                    .map(line -> line.substring(key.length() + 1).replace("\"", ""))
                    .findFirst()
                    .orElse("");
        } catch (IOException _) {
            return "";
        }
    }
}
