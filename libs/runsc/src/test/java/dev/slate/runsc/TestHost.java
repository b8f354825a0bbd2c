package dev.slate.runsc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** An installation of its own for one test; its containers see the programs of this machine. */
final class TestHost implements AutoCloseable {

    final Path home;
    final HostLayout layout;
    final Runsc runsc;

    TestHost() {
        try {
            home = Files.createTempDirectory("slate-runsc-");
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
        layout = HostLayout.of(home);
        runsc = Runsc.open(layout, RunscBinary.find());
    }

    ContainerSpec.Builder container(String... command) {
        ContainerId id = new ContainerId(UUID.randomUUID().toString());
        return ContainerSpec.of(id, Path.of("/"), List.of(command)).rootWrites(new RootWrites.ToMemory());
    }

    record Finished(Completion completion, String stdout, String stderr) {}

    Finished run(ContainerSpec spec) {
        return run(spec, Duration.ofSeconds(60));
    }

    Finished run(ContainerSpec spec, Duration limit) {
        StringBuilder stdout = new StringBuilder();
        StringBuilder stderr = new StringBuilder();
        ForegroundContainer container = runsc.run(spec, (source, bytes) -> {
            String text = new String(bytes, StandardCharsets.UTF_8);
            (source == OutputConsumer.Source.STDOUT ? stdout : stderr).append(text);
        });
        return new Finished(container.await(limit), stdout.toString(), stderr.toString());
    }

    @Override
    public void close() {
        runsc.remains().forEach(runsc::destroy);
        SandboxNetwork.tearDown(layout);
        new Cgroups(layout).removeAll();
        Mounts.below(home).forEach(Mounts::unmount);
        delete(home);
    }

    static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            Path[] paths = files.sorted(Comparator.reverseOrder()).toArray(Path[]::new);
            for (Path path : Arrays.asList(paths)) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
    }
}
