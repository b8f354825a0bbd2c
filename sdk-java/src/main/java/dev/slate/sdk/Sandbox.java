package dev.slate.sdk;

import dev.slate.api.exec.v1.ExecsGrpc;
import dev.slate.api.exec.v1.GetExecRequest;
import dev.slate.api.exec.v1.ListExecsRequest;
import dev.slate.api.sandbox.v1.AllowForAWhileRequest;
import dev.slate.api.sandbox.v1.GetSandboxRequest;
import dev.slate.api.sandbox.v1.ListEgressRequest;
import dev.slate.api.sandbox.v1.SandboxesGrpc;
import dev.slate.api.sandbox.v1.TerminateSandboxRequest;
import dev.slate.api.sandbox.v1.TestNetworkPolicyRequest;
import dev.slate.api.sandbox.v1.UpdateNetworkPolicyRequest;
import dev.slate.api.sandbox.v1.WatchSandboxRequest;
import dev.slate.sdk.internal.Transport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** A handle on a sandbox. Thread-safe. Closing it terminates the sandbox. */
public final class Sandbox implements AutoCloseable {

    private static final Duration TERMINATE_DEADLINE = Duration.ofMinutes(5);

    private final Transport transport;
    private final String id;
    private final String name;

    Sandbox(Transport transport, String id, String name) {
        this.transport = transport;
        this.id = id;
        this.name = name;
    }

    public String id() {
        return id;
    }

    /** Empty when it has none. */
    public String name() {
        return name;
    }

    /** The sandbox as it is now. */
    public SandboxInfo info() {
        var request = GetSandboxRequest.newBuilder().setSandbox(id).build();
        return SandboxInfo.of(
                transport.call(SandboxesGrpc.getGetSandboxMethod(), request).getSandbox());
    }

    /** Runs a program to its end. No shell is involved; see {@link ExecResult#orThrow()} about failures. */
    public ExecResult exec(String... command) {
        return command(command).run();
    }

    /** To run a command with options, or in the background. */
    public Command command(String... command) {
        return new Command(transport, id, List.of(command));
    }

    /** Takes up the output of a command, started by anybody, from an event on; 0 is its start. */
    public RunningCommand attach(String execId, long fromSequence) {
        return new RunningCommand(transport, id, execId, ExecLog.attach(transport, id, execId, fromSequence));
    }

    /** What is kept of the log of a command now, with its end if it has ended. At most 16 MiB of output. */
    public List<ExecEvent> log(String execId) {
        return ExecLog.kept(transport, id, execId);
    }

    /** The record of a command, also of one that ended, and after the end of the sandbox. */
    public CommandInfo commandInfo(String execId) {
        var request =
                GetExecRequest.newBuilder().setSandbox(id).setExecId(execId).build();
        return CommandInfo.of(
                transport.call(ExecsGrpc.getGetExecMethod(), request).getExec());
    }

    /** The records of all commands, newest first, fetched as they are read. Long command lines are cut to 1 KiB. */
    public Stream<CommandInfo> commands() {
        return commands(false);
    }

    /** The records of those that run. */
    public Stream<CommandInfo> runningCommands() {
        return commands(true);
    }

    /** To signal a command, started by anybody. {@code TERM}, {@code INT}, {@code KILL}, …; all that it started if tree. */
    public void signal(String execId, String name, boolean tree) {
        RunningCommand.signal(transport, id, execId, name, tree);
    }

    /** Works with git in the sandbox; the image needs it. */
    public SandboxGit git() {
        return new SandboxGit(this);
    }

    /**
     * Connects to a server inside, on the sandbox's loopback address; {@link SlateException.NotFound} if nothing listens
     * there.
     */
    public PortConnection connect(int port) {
        return PortConnection.open(transport, id, port);
    }

    /** Makes a port of the sandbox reachable here, at a free port of the loopback address, until it is closed. */
    public PortForward forward(int port) {
        return forward(port, 0);
    }

    /** The same, at a chosen local port. */
    public PortForward forward(int port, int localPort) {
        return PortForward.open(this, port, localPort);
    }

    public SandboxFiles files() {
        return new SandboxFiles(transport, id);
    }

    /** What the sandbox connected to, or tried to, oldest first. */
    public List<EgressConnection> egress() {
        return Pages.all(token -> {
            var request = ListEgressRequest.newBuilder()
                    .setSandbox(id)
                    .setPageToken(token)
                    .build();
            var reply = transport.call(SandboxesGrpc.getListEgressMethod(), request);
            return new Pages.Page<>(
                    reply.getConnectionsList().stream()
                            .map(EgressConnection::of)
                            .toList(),
                    reply.getNextPageToken());
        });
    }

    /** Replaces the policy; when this returns the new one is in force and connections that it forbids are cut. */
    public SandboxInfo updateNetworkPolicy(NetworkPolicy policy) {
        var request = UpdateNetworkPolicyRequest.newBuilder()
                .setSandbox(id)
                .setNetworkPolicy(policy.message())
                .build();
        return SandboxInfo.of(transport
                .call(SandboxesGrpc.getUpdateNetworkPolicyMethod(), request)
                .getSandbox());
    }

    /**
     * Lets the sandbox reach one more host, or a route such as {@code 10.1.2.3/32:5432}, for 1 second to 24 hours. When
     * this returns it is in force, also over restarts of the platform; {@link #updateNetworkPolicy} ends it early.
     *
     * @return when it ends, and connections that need it are cut
     */
    public Instant allow(String destination, Duration duration) {
        var request = AllowForAWhileRequest.newBuilder()
                .setSandbox(id)
                .setDestination(destination)
                .setDuration(Wire.duration(duration))
                .build();
        return Wire.instant(
                transport.call(SandboxesGrpc.getAllowForAWhileMethod(), request).getExpiresAt());
    }

    /** Asks the platform what it would decide for this sandbox now. Nothing is sent to the host. */
    public AccessAnswer testNetworkPolicy(Access access) {
        var request = TestNetworkPolicyRequest.newBuilder()
                .setSandbox(id)
                .setQuestion(access.message())
                .build();
        return AccessAnswer.of(transport
                .call(SandboxesGrpc.getTestNetworkPolicyMethod(), request)
                .getAnswer());
    }

    /** Waits, without limit, until the sandbox has ended for whatever cause. */
    public SandboxInfo waitForEnd() {
        var reconnect = new Reconnect();
        var last = info();
        while (!last.state().ended()) {
            last = reconnect.call(this::watchToEnd);
        }
        return last;
    }

    /**
     * Ends the sandbox and returns when its name is free and writes to volumes are stored. Terminating what has ended
     * already succeeds.
     */
    public SandboxInfo terminate() {
        var request = TerminateSandboxRequest.newBuilder().setSandbox(id).build();
        return SandboxInfo.of(transport
                .call(SandboxesGrpc.getTerminateSandboxMethod(), request, TERMINATE_DEADLINE)
                .getSandbox());
    }

    /** Terminates the sandbox. */
    @Override
    public void close() {
        terminate();
    }

    @Override
    public String toString() {
        return "sandbox " + (name.isEmpty() ? id : name);
    }

    private Stream<CommandInfo> commands(boolean runningOnly) {
        return Pages.stream(token -> {
            var request = ListExecsRequest.newBuilder()
                    .setSandbox(id)
                    .setRunningOnly(runningOnly)
                    .setPageToken(token)
                    .build();
            var reply = transport.call(ExecsGrpc.getListExecsMethod(), request);
            return new Pages.Page<>(
                    reply.getExecsList().stream().map(CommandInfo::of).toList(), reply.getNextPageToken());
        });
    }

    private SandboxInfo watchToEnd() {
        var request = WatchSandboxRequest.newBuilder()
                .setSandbox(id)
                .setUntilEnd(true)
                .build();
        try (var changes = transport.stream(SandboxesGrpc.getWatchSandboxMethod(), request)) {
            while (changes.hasNext()) {
                var change = changes.next();
                if (change.hasSandbox()
                        && SandboxState.of(change.getSandbox().getState()).ended()) {
                    changes.drain();
                    return SandboxInfo.of(change.getSandbox());
                }
            }
        }
        return info();
    }
}
