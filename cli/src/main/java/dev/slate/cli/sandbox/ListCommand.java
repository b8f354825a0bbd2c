package dev.slate.cli.sandbox;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.sdk.SandboxInfo;
import dev.slate.sdk.Slate;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code slate sandbox list}. */
@Command(name = "list", description = "List live sandboxes.")
final class ListCommand extends ApiCommand {

    @Option(names = "--all", description = "Ended ones too.")
    private boolean all;

    @Override
    protected int run(Slate slate, Output output) {
        output.list(
                all ? slate.sandboxes().listAll() : slate.sandboxes().list(),
                List.of(
                        new Output.Column<>("ID", SandboxInfo::id),
                        new Output.Column<>("NAME", SandboxInfo::name),
                        new Output.Column<>("STATE", sandbox -> sandbox.state().word()),
                        new Output.Column<>("CREATED", SandboxInfo::createdAt),
                        new Output.Column<>("EXPIRES", sandbox -> SandboxText.instant(sandbox.expiresAt()))));
        return 0;
    }
}
