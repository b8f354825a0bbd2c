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
 */
public record ExecRequest(
        String id,
        List<String> command,
        Map<String, String> environment,
        String workdir,
        String user,
        boolean stdinOpen,
        Optional<Duration> timeout) {
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
        return new ExecRequest(id, command, Map.of(), "", "", false, Optional.empty());
    }

    public ExecRequest withEnvironment(Map<String, String> variables) {
        return new ExecRequest(id, command, variables, workdir, user, stdinOpen, timeout);
    }

    public ExecRequest withWorkdir(String folder) {
        return new ExecRequest(id, command, environment, folder, user, stdinOpen, timeout);
    }

    public ExecRequest withUser(String name) {
        return new ExecRequest(id, command, environment, workdir, name, stdinOpen, timeout);
    }

    public ExecRequest withOpenStdin() {
        return new ExecRequest(id, command, environment, workdir, user, true, timeout);
    }

    public ExecRequest withTimeout(Duration limit) {
        return new ExecRequest(id, command, environment, workdir, user, stdinOpen, Optional.of(limit));
    }

    byte[] toFrame() {
        FrameBuilder frame = new FrameBuilder(FrameType.START)
                .text(id)
                .u8(stdinOpen ? 1 : 0)
                .u64(timeout.map(Duration::toMillis).orElse(0L))
                .text(workdir)
                .text(user)
                .u32(command.size());
        command.forEach(frame::text);
        frame.u32(environment.size());
        environment.forEach((name, value) -> frame.text(name).text(value));
        return frame.build();
    }
}
