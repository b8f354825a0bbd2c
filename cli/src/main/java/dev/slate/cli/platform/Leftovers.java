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

/** What of an install is still in the kernel: mounts, network devices, firewall tables and processes. */
final class Leftovers {

    private Leftovers() {}

    static List<String> find(SlateHome home) {
        var tag = InstanceTag.of(home.path()).value();
        var found = new ArrayList<String>();
        mounts(home.path()).forEach(path -> found.add("mount " + path));
        devices(tag).forEach(name -> found.add("network device " + name));
        processes(home.path()).forEach(text -> found.add("process " + text));
        if (firewall().contains("slate_" + tag)) {
            found.add("nftables table slate_" + tag);
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

    private static List<String> devices(String tag) {
        var folder = Path.of("/sys/class/net");
        try (Stream<Path> devices = Files.list(folder)) {
            return devices.map(device -> device.getFileName().toString())
                    .filter(name -> name.startsWith("sl" + tag))
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

    private static String firewall() {
        try {
            var process = new ProcessBuilder("nft", "list", "tables").start();
            var tables = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return tables;
        } catch (IOException _) {
            // Without nft nothing could have been made.
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("interrupted", e);
        }
    }
}
