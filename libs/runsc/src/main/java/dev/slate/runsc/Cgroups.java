package dev.slate.runsc;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One control group per container, below {@code /slate-<tag>} of each controller.
 *
 * <p>The launcher joins the group before it becomes {@code runsc}, so that sentry and gofer are inside from their first
 * instruction. A limit that this host cannot enforce is refused. Thread-safe.
 */
public final class Cgroups {

    private static final long PERIOD_MICROS = 100_000;
    /** A group weighs as much as one thread unless told otherwise; so all sandboxes weigh four threads a processor. */
    private static final int THREADS_OF_WEIGHT = 4 * Runtime.getRuntime().availableProcessors();

    private static final Duration REMOVAL_LIMIT = Duration.ofSeconds(5);

    private final List<CgroupController> controllers;
    private final String parent;

    public Cgroups(HostLayout layout) {
        this(CgroupMounts.find(), layout.cgroupParent());
    }

    Cgroups(List<CgroupController> controllers, String parent) {
        this.controllers = List.copyOf(controllers);
        this.parent = parent;
    }

    /** The controllers this host has, out of cpu, cpuacct, memory and pids. */
    public Set<String> controllers() {
        return controllers.stream().map(CgroupController::name).collect(Collectors.toSet());
    }

    /** Makes the groups of a container and sets its limits. */
    public void create(ContainerId id, ResourceLimits limits) {
        require("cpu", limits.cpuMillis());
        require("memory", limits.memoryBytes());
        require("pids", limits.processes());
        try {
            for (CgroupController controller : controllers) {
                if (controller.unified()) {
                    delegate(controller);
                }
                Path group = group(controller, id);
                Files.createDirectories(group);
                if (controller.name().equals("cpu")) {
                    weigh(controller.root().resolve(parent), controller.unified());
                }
                limit(controller, group, limits);
            }
        } catch (IOException e) {
            throw new RunscException("control groups of " + id + ": " + e, e);
        }
    }

    /** The files into which a process writes 0 to join the groups of the container. */
    List<String> joinFiles(ContainerId id) {
        Set<String> files = new LinkedHashSet<>();
        for (CgroupController controller : controllers) {
            files.add(group(controller, id).resolve("cgroup.procs").toString());
        }
        return List.copyOf(files);
    }

    public CgroupUsage usage(ContainerId id) {
        long cpu = 0;
        long memory = 0;
        long tasks = 0;
        long kills = 0;
        long hits = 0;
        for (CgroupController controller : controllers) {
            Path group = group(controller, id);
            boolean unified = controller.unified();
            switch (controller.name()) {
                case "cpuacct" -> cpu = number(group.resolve("cpuacct.usage"));
                case "cpu" -> cpu = unified ? entry(group.resolve("cpu.stat"), "usage_usec") * 1000 : cpu;
                case "memory" -> {
                    memory = number(group.resolve(unified ? "memory.current" : "memory.usage_in_bytes"));
                    kills = entry(group.resolve(unified ? "memory.events" : "memory.oom_control"), "oom_kill");
                }
                case "pids" -> {
                    tasks = number(group.resolve("pids.current"));
                    hits = entry(group.resolve("pids.events"), "max");
                }
                default -> throw new IllegalStateException("controller: " + controller.name());
            }
        }
        return new CgroupUsage(cpu, memory, tasks, kills, hits);
    }

    /** Ends every process of the container and waits until none is left. */
    public void kill(ContainerId id) {
        long deadline = System.nanoTime() + REMOVAL_LIMIT.toNanos();
        while (true) {
            Set<Long> alive = processes(id);
            if (alive.isEmpty()) {
                return;
            }
            if (System.nanoTime() > deadline) {
                throw new RunscException("container " + id + ": processes " + alive + " survive SIGKILL");
            }
            alive.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
            pause();
        }
    }

    /** Removes the groups of a container whose processes have ended; what is not there is fine. */
    public void remove(ContainerId id) {
        for (CgroupController controller : controllers) {
            remove(group(controller, id));
        }
    }

    /** Removes what this installation has under the roots of the controllers. Containers must have ended. */
    public void removeAll() {
        for (CgroupController controller : controllers) {
            list(controller).forEach(this::remove);
            remove(controller.root().resolve(parent));
        }
    }

    /** The containers that have groups here. */
    public Set<ContainerId> list() {
        Set<ContainerId> found = new LinkedHashSet<>();
        for (CgroupController controller : controllers) {
            list(controller).forEach(found::add);
        }
        return found;
    }

    private List<ContainerId> list(CgroupController controller) {
        Path folder = controller.root().resolve(parent);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(folder)) {
            return children.filter(Files::isDirectory)
                    .map(child -> new ContainerId(child.getFileName().toString()))
                    .toList();
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
    }

    private Set<Long> processes(ContainerId id) {
        Set<Long> pids = new LinkedHashSet<>();
        for (CgroupController controller : controllers) {
            for (String line : lines(group(controller, id).resolve("cgroup.procs"))) {
                pids.add(Long.valueOf(line));
            }
        }
        return pids;
    }

    private void require(String controller, long limit) {
        if (limit != 0 && controllers.stream().noneMatch(found -> found.name().equals(controller))) {
            throw new RunscException(controller + " limit: " + limit + " (expected: 0, as this host has no "
                    + controller + " controller)");
        }
    }

    private void delegate(CgroupController controller) throws IOException {
        Path folder = controller.root().resolve(parent);
        Files.createDirectories(folder);
        for (Path group : List.of(controller.root(), folder)) {
            Path enabled = group.resolve("cgroup.subtree_control");
            if (!List.of(Files.readString(enabled).strip().split(" ", -1)).contains(controller.name())) {
                Files.writeString(enabled, "+" + controller.name());
            }
        }
    }

    /** Otherwise a start among busy neighbours outside the groups takes many times as long. */
    private static void weigh(Path parent, boolean unified) throws IOException {
        if (unified) {
            writeIfPresent(parent.resolve("cpu.weight"), Integer.toString(Math.min(10_000, 100 * THREADS_OF_WEIGHT)));
        } else {
            writeIfPresent(parent.resolve("cpu.shares"), Integer.toString(1024 * THREADS_OF_WEIGHT));
        }
    }

    private static void limit(CgroupController controller, Path group, ResourceLimits limits) throws IOException {
        boolean unified = controller.unified();
        switch (controller.name()) {
            case "cpu" -> limitCpu(group, limits.cpuMillis(), unified);
            case "memory" -> limitMemory(group, limits.memoryBytes(), unified);
            case "pids" -> limitTasks(group, limits.hostTasks());
            default -> {
                // cpuacct only counts.
            }
        }
    }

    private static void limitCpu(Path group, long millis, boolean unified) throws IOException {
        if (millis == 0) {
            return;
        }
        long quota = millis * PERIOD_MICROS / 1000;
        if (unified) {
            Files.writeString(group.resolve("cpu.max"), quota + " " + PERIOD_MICROS);
        } else {
            Files.writeString(group.resolve("cpu.cfs_period_us"), Long.toString(PERIOD_MICROS));
            Files.writeString(group.resolve("cpu.cfs_quota_us"), Long.toString(quota));
        }
    }

    private static void limitMemory(Path group, long bytes, boolean unified) throws IOException {
        if (bytes == 0) {
            return;
        }
        String limit = Long.toString(bytes);
        if (unified) {
            Files.writeString(group.resolve("memory.max"), limit);
            writeIfPresent(group.resolve("memory.swap.max"), "0");
            writeIfPresent(group.resolve("memory.oom.group"), "1");
        } else {
            Files.writeString(group.resolve("memory.limit_in_bytes"), limit);
            writeIfPresent(group.resolve("memory.memsw.limit_in_bytes"), limit);
        }
    }

    private static void limitTasks(Path group, long tasks) throws IOException {
        if (tasks != 0) {
            Files.writeString(group.resolve("pids.max"), Long.toString(tasks));
        }
    }

    private static void writeIfPresent(Path file, String value) throws IOException {
        if (Files.exists(file)) {
            Files.writeString(file, value);
        }
    }

    private static void remove(Path group) {
        long deadline = System.nanoTime() + REMOVAL_LIMIT.toNanos();
        while (true) {
            try {
                Files.deleteIfExists(group);
                return;
            } catch (DirectoryNotEmptyException e) {
                throw new RunscException("control group " + group + ": has children", e);
            } catch (FileSystemException e) {
                if (System.nanoTime() > deadline) {
                    throw new RunscException("control group " + group + ": still in use", e);
                }
                pause();
            } catch (IOException e) {
                throw HostCommand.unchecked(e);
            }
        }
    }

    private Path group(CgroupController controller, ContainerId id) {
        return controller.root().resolve(parent).resolve(id.value());
    }

    private static long number(Path file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? 0 : Long.parseLong(lines.getFirst().strip());
    }

    private static long entry(Path file, String key) {
        for (String line : lines(file)) {
            if (line.startsWith(key + " ")) {
                return Long.parseLong(line.substring(key.length() + 1).strip());
            }
        }
        return 0;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunscException("interrupted while a control group was emptied", e);
        }
    }
}
