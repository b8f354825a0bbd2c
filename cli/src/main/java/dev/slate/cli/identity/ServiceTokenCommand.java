package dev.slate.cli.identity;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.sdk.ServiceTokens;
import dev.slate.sdk.Slate;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code slate service-token}. */
@Command(
        name = "service-token",
        description = "Let programs sign in.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ServiceTokenCommand.Create.class,
            ServiceTokenCommand.ListAll.class,
            ServiceTokenCommand.Revoke.class
        })
public final class ServiceTokenCommand {

    private ServiceTokenCommand() {}

    @Command(name = "create", description = "Make a client id and secret and print them, this once.")
    static final class Create extends ApiCommand {

        @Option(names = "--description", paramLabel = "TEXT", description = "What it is for.")
        private String description = "";

        @Option(
                names = "--permission",
                required = true,
                split = ",",
                paramLabel = "NAME",
                description = "For example deploy.create; none that you lack.")
        private List<String> permissions = new ArrayList<>();

        @Override
        protected int run(Slate slate, Output output) {
            var created = slate.serviceTokens().create(description, permissions);
            output.value(
                    created,
                    "SLATE_CLIENT_ID=" + created.token().clientId() + "\nSLATE_CLIENT_SECRET="
                            + created.clientSecret().reveal());
            return 0;
        }
    }

    @Command(name = "list", description = "List service tokens.")
    static final class ListAll extends ApiCommand {

        @Override
        protected int run(Slate slate, Output output) {
            output.list(
                    slate.serviceTokens().list(),
                    List.of(
                            new Output.Column<>("CLIENT ID", ServiceTokens.Entry::clientId),
                            new Output.Column<>("STATE", token -> token.revoked() ? "revoked" : "active"),
                            new Output.Column<>("CREATED", ServiceTokens.Entry::createdAt),
                            new Output.Column<>("PERMISSIONS", token -> String.join(" ", token.permissions())),
                            new Output.Column<>("DESCRIPTION", ServiceTokens.Entry::description)));
            return 0;
        }
    }

    @Command(name = "revoke", description = "Revoke a service token.")
    static final class Revoke extends ApiCommand {

        @Parameters(paramLabel = "CLIENT_ID", description = "From the list.")
        private String clientId = "";

        @Override
        protected int run(Slate slate, Output output) {
            slate.serviceTokens().revoke(clientId);
            output.done("revoked", "service token", clientId);
            return 0;
        }
    }
}
