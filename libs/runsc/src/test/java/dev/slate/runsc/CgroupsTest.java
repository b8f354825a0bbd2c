package dev.slate.runsc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupsTest {

    private static final ContainerId ID = new ContainerId("one");

    @TempDir
    Path root;

    @Test
    void findsControllersOfBothVersions() throws IOException {
        Files.writeString(root.resolve("cgroup.controllers"), "hugetlb pids\n");
        List<String> mounts = List.of(
                "proc /proc proc rw 0 0",
                "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0",
                "cgroup /sys/fs/cgroup/cpuset cgroup rw,relatime,cpuset 0 0",
                "cgroup2 " + root + " cgroup2 rw,relatime 0 0");

        Path both = Path.of("/sys/fs/cgroup/cpu,cpuacct");
        assertThat(CgroupMounts.find(mounts))
                .containsExactly(
                        new CgroupController("cpu", both, false),
                        new CgroupController("cpuacct", both, false),
                        new CgroupController("pids", root, true));
    }

    @Test
    void writesLimitsOfVersionTwo() throws IOException {
        Files.createDirectory(root.resolve("slate-0000"));
        Files.writeString(root.resolve("cgroup.subtree_control"), "cpu\n");
        Files.writeString(root.resolve("slate-0000/cgroup.subtree_control"), "\n");
        Path group = Files.createDirectory(root.resolve("slate-0000/one"));
        Files.writeString(group.resolve("memory.swap.max"), "max");
        Cgroups cgroups = new Cgroups(
                List.of(
                        new CgroupController("cpu", root, true),
                        new CgroupController("memory", root, true),
                        new CgroupController("pids", root, true)),
                "slate-0000");

        cgroups.create(ID, new ResourceLimits(1500, 1 << 30, 64));

        assertThat(group.resolve("cpu.max")).hasContent("150000 100000");
        assertThat(group.resolve("memory.max")).hasContent("1073741824");
        assertThat(group.resolve("memory.swap.max")).hasContent("0");
        assertThat(group.resolve("pids.max")).hasContent("384");
        assertThat(root.resolve("cgroup.subtree_control")).hasContent("+pids");
        assertThat(cgroups.joinFiles(ID))
                .containsExactly(group.resolve("cgroup.procs").toString());
    }

    @Test
    void readsUsageOfVersionTwo() throws IOException {
        Path group = Files.createDirectories(root.resolve("slate-0000/one"));
        Files.writeString(group.resolve("cpu.stat"), "usage_usec 12\nuser_usec 4\n");
        Files.writeString(group.resolve("memory.current"), "4096\n");
        Files.writeString(group.resolve("memory.events"), "low 0\noom 3\noom_kill 2\n");
        Cgroups cgroups = new Cgroups(
                List.of(new CgroupController("cpu", root, true), new CgroupController("memory", root, true)),
                "slate-0000");

        assertThat(cgroups.usage(ID)).isEqualTo(new CgroupUsage(12_000, 4096, 0, 2, 0));
    }

    @Test
    void refusesALimitThatNothingEnforces() {
        Cgroups cgroups = new Cgroups(List.of(new CgroupController("cpu", root, false)), "slate-0000");

        assertThatThrownBy(() -> cgroups.create(ID, new ResourceLimits(0, 1 << 30, 0)))
                .hasMessageContaining("memory limit: 1073741824")
                .hasMessageContaining("no memory controller");
    }
}
