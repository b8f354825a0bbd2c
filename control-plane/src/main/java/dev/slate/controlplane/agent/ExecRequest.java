package dev.slate.controlplane.agent;

import dev.slate.common.error.PlatformException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A command to run in a sandbox.
 *
 * @param id chosen by the caller: 1 to 128 letters, digits, '-', '_', '.'
 * @param environment laid over the environment of the agent
 * @param workdir absolute, or empty for the agent's
 * @param user a name or number, optionally with ":group", or empty for root
 * @param stdinOpen whether stdin waits for {@link AgentClient#writeStdin}; otherwise it is at its end from the start
 * @param timeout after which the whole tree is ended
 * @param terminal the size of the terminal that it runs on
 */
public record ExecRequest(
        String id,
        List<String> command,
        Map<String, String> environment,
        String workdir,
        String user,
        boolean stdinOpen,
        Optional<Duration> timeout,
        Optional<TerminalSize> terminal) {
    private static final int FLAG_STDIN = 1;
    private static final int FLAG_TERMINAL = 2;

    public ExecRequest {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        if (command.isEmpty()) {
            throw PlatformException.invalid("command", command, "at least one word");
        }
        timeout.ifPresent(limit -> {
            if (limit.toMillis() < 1) {
                throw PlatformException.invalid("timeout", limit, "at least 1 ms");
            }
        });
    }

    /** A command with closed stdin, without a time limit, as root in the default folder. */
    public static ExecRequest of(String id, List<String> command) {
        return new ExecRequest(id, command, Map.of(), "", "", false, Optional.empty(), Optional.empty());
    }

    public ExecRequest withEnvironment(Map<String, String> variables) {
        return new ExecRequest(id, command, variables, workdir, user, stdinOpen, timeout, terminal);
    }

    public ExecRequest withWorkdir(String folder) {
        return new ExecRequest(id, command, environment, folder, user, stdinOpen, timeout, terminal);
    }

    public ExecRequest withUser(String name) {
        return new ExecRequest(id, command, environment, workdir, name, stdinOpen, timeout, terminal);
    }

    public ExecRequest withOpenStdin() {
        return new ExecRequest(id, command, environment, workdir, user, true, timeout, terminal);
    }

    public ExecRequest withTimeout(Duration limit) {
        return new ExecRequest(id, command, environment, workdir, user, stdinOpen, Optional.of(limit), terminal);
    }

    public ExecRequest withTerminal(TerminalSize size) {
        return new ExecRequest(id, command, environment, workdir, user, stdinOpen, timeout, Optional.of(size));
    }

    byte[] toFrame() {
        FrameBuilder frame = new FrameBuilder(FrameType.START)
                .text(id)
                .u8((stdinOpen ? FLAG_STDIN : 0) | (terminal.isPresent() ? FLAG_TERMINAL : 0))
                .u64(timeout.map(Duration::toMillis).orElse(0L))
                .text(workdir)
                .text(user)
                .u32(command.size());
        command.forEach(frame::text);
        frame.u32(environment.size());
        environment.forEach((name, value) -> frame.text(name).text(value));
        terminal.ifPresent(size -> size.write(frame));
        return frame.build();
    }
}
