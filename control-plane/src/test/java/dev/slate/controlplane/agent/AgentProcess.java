package dev.slate.controlplane.agent;

import dev.slate.agent.AgentBinary;
import dev.slate.common.secret.SecretValue;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The real agent, as an ordinary process or as PID 1 of a gVisor sandbox, on a free loopback port. */
final class AgentProcess implements AutoCloseable {
    static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final String CONTAINER = "agent";
    /** Without the first two no command can run as another user. */
    private static final String CAPABILITIES =
            "\"CAP_SETUID\",\"CAP_SETGID\",\"CAP_KILL\",\"CAP_DAC_OVERRIDE\",\"CAP_CHOWN\",\"CAP_FOWNER\"";

    private final Process process;
    private final int port;
    private final List<String> afterwards;

    private AgentProcess(Process process, int port, List<String> afterwards) {
        this.process = process;
        this.port = port;
        this.afterwards = List.copyOf(afterwards);
    }

    static AgentProcess start(Path folder) throws IOException {
        return launch(command(folder), List.of());
    }

    /** The sandbox sees the files of this machine, keeps its writes to itself, and uses this machine's network. */
    static AgentProcess startInGvisor(Path folder) throws IOException {
        return startInGvisor(folder, Path.of("/"), command(folder));
    }

    /** The sandbox has no files but the agent, as /slate-agent. */
    static AgentProcess startAloneInGvisor(Path folder) throws IOException {
        Path root = Files.createDirectories(folder.resolve("root"));
        Files.createDirectory(root.resolve("proc"));
        List<String> command = command(root).stream()
                .map(part -> part.replace(root.toString(), ""))
                .toList();
        return startInGvisor(folder, root, command);
    }

    private static AgentProcess startInGvisor(Path folder, Path root, List<String> command) throws IOException {
        String arguments = command.stream().map(it -> '"' + it + '"').collect(Collectors.joining(","));
        Files.writeString(folder.resolve("config.json"), """
                {"ociVersion": "1.0.0",
                 "process": {"user": {"uid": 0, "gid": 0}, "args": [%s], "env": ["PATH=/usr/bin:/bin"], "cwd": "/",
                             "capabilities": {"bounding": [%s], "effective": [%s], "permitted": [%s]}},
                 "root": {"path": "%s"},
                 "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}],
                 "linux": {"namespaces": [{"type": "pid"}, {"type": "ipc"}, {"type": "uts"}, {"type": "mount"}]}}
                """.formatted(
                        arguments, CAPABILITIES, CAPABILITIES, CAPABILITIES, root));
        List<String> runsc = List.of(
                "runsc",
                "--root=" + folder.resolve("state"),
                "--platform=systrap",
                "--network=host",
                "--ignore-cgroups",
                "--overlay2=all:memory");
        return launch(
                join(runsc, "run", "--bundle", folder.toString(), CONTAINER),
                join(runsc, "delete", "--force", CONTAINER));
    }

    private static List<String> command(Path folder) throws IOException {
        Path program = folder.resolve("slate-agent");
        Path token = folder.resolve("token");
        AgentBinary.load().copyTo(program);
        Files.writeString(token, TOKEN + "\n");
        return List.of(program.toString(), "--port", "0", "--listen", "127.0.0.1", "--token-file", token.toString());
    }

    private static AgentProcess launch(List<String> command, List<String> afterwards) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = output.readLine();
        return new AgentProcess(process, Integer.parseInt(line.substring(line.lastIndexOf(':') + 1)), afterwards);
    }

    private static List<String> join(List<String> begin, String... end) {
        return Stream.concat(begin.stream(), Stream.of(end)).toList();
    }

    int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    AgentClient client() {
        return new AgentClient("127.0.0.1", port, SecretValue.of(TOKEN));
    }

    /** Ends the agent as a crash would. */
    void crash() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        try {
            process.destroy();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            if (!afterwards.isEmpty()) {
                Process cleaning = new ProcessBuilder(afterwards).inheritIO().start();
                if (!cleaning.waitFor(20, TimeUnit.SECONDS)) {
                    cleaning.destroyForcibly();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
