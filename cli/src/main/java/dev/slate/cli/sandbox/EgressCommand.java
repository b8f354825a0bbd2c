package dev.slate.cli.sandbox;

import dev.slate.cli.common.Output;
import dev.slate.sdk.EgressConnection;
import dev.slate.sdk.Slate;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code slate sandbox egress}. */
@Command(name = "egress", description = "List what a sandbox connected to, or tried to.")
final class EgressCommand extends OnSandbox {

    @Override
    protected int run(Slate slate, Output output) {
        output.list(
                slate.sandboxes().get(sandbox()).egress(),
                List.of(
                        new Output.Column<>("TIME", EgressConnection::openedAt),
                        new Output.Column<>("DECISION", EgressCommand::decision),
                        new Output.Column<>("PROTOCOL", EgressConnection::protocol),
                        new Output.Column<>("HOST", connection -> connection.host() + ":" + connection.port()),
                        new Output.Column<>("MODE", EgressConnection::mode),
                        new Output.Column<>("REASON", EgressCommand::reason),
                        new Output.Column<>("RULE", EgressConnection::rule),
                        new Output.Column<>("UP", EgressConnection::bytesUp),
                        new Output.Column<>("DOWN", EgressConnection::bytesDown),
                        new Output.Column<>("CREDENTIALS", connection -> String.join(",", connection.credentials()))));
        return 0;
    }

    private static String decision(EgressConnection connection) {
        return connection.allowed() ? connection.wouldDeny().isEmpty() ? "allowed" : "observed" : "denied";
    }

    private static String reason(EgressConnection connection) {
        return connection.reason().isEmpty() ? connection.wouldDeny() : connection.reason();
    }
}
