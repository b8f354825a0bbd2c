package dev.slate.image.recipe;

import dev.slate.common.error.PlatformException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** One layer of an image. */
public sealed interface Step {
    /** As progress messages show it. */
    String title();

    /** Adds everything that decides the result of this step, but its parent. */
    void describe(Fingerprint fingerprint);

    /** A step that runs a shell command on top of the layers before it. */
    sealed interface Command extends Step {
        /** What {@code /bin/sh -c} runs. */
        String command();

        @Override
        default void describe(Fingerprint fingerprint) {
            fingerprint.add("run").add(command());
        }
    }

    /** Installs Debian packages and leaves no package lists behind. */
    record AptInstall(List<String> packages) implements Command {
        private static final Pattern PACKAGE = Pattern.compile(
                "[a-z0-9][a-z0-9+.-]{1,127}(:[a-z0-9-]{1,20})?(=[A-Za-z0-9.+:~-]{1,127}|/[a-z][a-z0-9-]{0,63})?");
        private static final int MAX_PACKAGES = 1_000;

        public AptInstall {
            packages = List.copyOf(packages);
            if (packages.isEmpty() || packages.size() > MAX_PACKAGES) {
                throw PlatformException.invalid("apt packages", packages.size(), "1 to " + MAX_PACKAGES);
            }
            for (String name : packages) {
                if (!PACKAGE.matcher(name).matches()) {
                    throw PlatformException.invalid(
                            "apt package", name, "a Debian package name, or name=version, or name/suite");
                }
            }
        }

        @Override
        public String title() {
            return "apt install " + String.join(" ", packages);
        }

        /** The lists, archives and logs hold times and are of no use in an image. */
        @Override
        public String command() {
            return "set -e; export DEBIAN_FRONTEND=noninteractive; apt-get update -q; "
                    + "apt-get install -q -y --no-install-recommends " + String.join(" ", packages) + "; "
                    + "apt-get clean; rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/debconf/*-old "
                    + "/var/log/apt /var/log/dpkg.log /var/log/alternatives.log /var/cache/ldconfig/aux-cache";
        }
    }

    /** Runs one command with {@code /bin/sh -c}. */
    record RunCommand(String command) implements Command {
        private static final int MAX_LENGTH = 131_071;

        public RunCommand {
            if (command.isBlank()) {
                throw PlatformException.invalid("run command", "''", "a shell command");
            }
            Texts.check("run command", command, MAX_LENGTH);
        }

        @Override
        public String title() {
            String line = command.strip().lines().findFirst().orElse("");
            return "run " + (line.length() <= 80 ? line : line.substring(0, 79) + "…");
        }
    }

    /** Puts files, links and folders into the image; those it names replace what was there. */
    record AddFiles(List<AddedFile> files) implements Step {
        private static final int MAX_FILES = 100_000;

        /** Order says nothing, so the files are sorted by path. */
        public AddFiles {
            files = files.stream().sorted(Comparator.comparing(AddedFile::path)).toList();
            if (files.isEmpty() || files.size() > MAX_FILES) {
                throw PlatformException.invalid("added files", files.size(), "1 to " + MAX_FILES);
            }
            Set<String> paths = new HashSet<>();
            Set<String> leaves = new HashSet<>();
            for (AddedFile file : files) {
                if (!paths.add(file.path())) {
                    throw PlatformException.invalid("added file", file.path(), "each path once in a step");
                }
                if (!(file.content() instanceof AddedFile.Content.Directory)) {
                    leaves.add(file.path());
                }
            }
            for (AddedFile file : files) {
                for (String up = AddedFile.parent(file.path()); !up.isEmpty(); up = AddedFile.parent(up)) {
                    if (leaves.contains(up)) {
                        throw PlatformException.invalid("added file", file.path(), "no file or link at " + up);
                    }
                }
            }
        }

        @Override
        public String title() {
            return files.size() == 1 ? "add " + files.getFirst().path() : "add " + files.size() + " files";
        }

        @Override
        public void describe(Fingerprint fingerprint) {
            fingerprint.add("files").add(files.size());
            for (AddedFile file : files) {
                fingerprint.add(file.path()).add(file.mode());
                switch (file.content()) {
                    case AddedFile.Content.Body(var sha256) ->
                        fingerprint.add("body").add(sha256);
                    case AddedFile.Content.Link(var target) ->
                        fingerprint.add("link").add(target);
                    case AddedFile.Content.Directory() -> fingerprint.add("directory");
                }
            }
        }
    }
}
