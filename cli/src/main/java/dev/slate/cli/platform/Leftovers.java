package dev.slate.cli.platform;

import dev.slate.cli.common.CommandFailure;
import dev.slate.runsc.InstanceTag;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What of an install is still in the kernel: mounts, networks, control groups, firewall tables and processes. */
final class Leftovers {

    private Leftovers() {}

    static List<String> find(SlateHome home) {
        var tag = InstanceTag.of(home.path()).value();
        var found = new ArrayList<String>();
        mounts(home.path()).forEach(path -> found.add("mount " + path));
        names("/sys/class/net", "sl" + tag).forEach(name -> found.add("network device " + name));
        names("/run/netns", "slate-" + tag).forEach(name -> found.add("network namespace " + name));
        names("/sys/fs/cgroup", "slate-" + tag).forEach(name -> found.add("control group " + name));
        names("/sys/fs/cgroup/memory", "slate-" + tag).forEach(name -> found.add("control group memory/" + name));
        processes(home.path()).forEach(text -> found.add("process " + text));
        if (output("nft", "list", "tables").contains("slate_" + tag)) {
            found.add("nftables table slate_" + tag);
        }
        if (output("ip", "rule", "list").contains("fwmark 0x" + tag)) {
            found.add("routing rule for mark 0x" + tag);
        }
        return found;
    }

    private static List<String> mounts(Path home) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/mounts"))) {
            return lines.map(line -> line.split(" ", -1)[1])
                    .filter(path -> path.startsWith(home + "/"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read /proc/self/mounts", e);
        }
    }

    private static List<String> names(String folder, String prefix) {
        if (!Files.isDirectory(Path.of(folder))) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(Path.of(folder))) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> name.startsWith(prefix))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + folder, e);
        }
    }

    private static List<String> processes(Path home) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.pid() != ProcessHandle.current().pid())
                .filter(process -> process.info()
                        .commandLine()
                        .filter(line -> line.contains(home + "/"))
                        .isPresent())
                .filter(process -> process.info()
                        .command()
                        .filter(command -> command.contains("runsc") || command.contains("postgres"))
                        .isPresent())
                .map(process -> process.pid() + " " + process.info().command().orElse(""))
                .toList();
    }

    /** Nothing when there is no such program: then nothing could have been made with it. */
    private static String output(String... command) {
        try {
            var process = new ProcessBuilder(command).start();
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return text;
        } catch (IOException _) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("interrupted", e);
        }
    }
}
