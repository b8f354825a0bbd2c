package dev.slate.cli.sandbox;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.sdk.Slate;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code slate sandbox forward}. */
@Command(
        name = "forward",
        description = "Make a port of a sandbox reachable on this machine, until Ctrl-C or the sandbox's end.")
final class ForwardCommand extends ApiCommand {

    private static final Pattern PORTS = Pattern.compile("(?:(\\d{1,5}):)?(\\d{1,5})");
    private static final int MOST = 0xFFFF;

    @Parameters(index = "0", paramLabel = "NAME", description = "Name or id of the sandbox.")
    private String name = "";

    @Parameters(
            index = "1",
            paramLabel = "[LOCAL:]PORT",
            description = "The port inside; the local one is the same unless given, 0 takes a free one.")
    private String ports = "";

    @Override
    protected int run(Slate slate, Output output) {
        var matcher = PORTS.matcher(ports);
        if (!matcher.matches()) {
            throw invalid();
        }
        var port = Integer.parseInt(matcher.group(2));
        var local = matcher.group(1) == null ? port : Integer.parseInt(matcher.group(1));
        if (port < 1 || port > MOST || local > MOST) {
            throw invalid();
        }
        var sandbox = slate.sandboxes().get(name);
        try (var forward = sandbox.forward(port, local)) {
            forward.onFailure(e -> System.err.println("slate: " + e.getMessage() + " (" + e.code() + ")"));
            System.out.println("127.0.0.1:" + forward.localPort() + " leads to port " + port + " of " + name);
            System.out.flush();
            var end = sandbox.waitForEnd();
            System.err.println("slate: the sandbox has ended: " + end.state());
            return 1;
        }
    }

    private IllegalArgumentException invalid() {
        return new IllegalArgumentException("port: " + ports + " (expected: PORT or LOCAL:PORT, for example 8080:80)");
    }
}
