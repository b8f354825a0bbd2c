package dev.slate.cli.sandbox;

import dev.slate.cli.common.Output;
import dev.slate.sdk.Slate;
import picocli.CommandLine.Command;

/** {@code slate sandbox get}. */
@Command(name = "get", description = "Show a sandbox.")
final class GetCommand extends OnSandbox {

    @Override
    protected int run(Slate slate, Output output) {
        var info = slate.sandboxes().get(sandbox()).info();
        output.one(info, SandboxText.rows(info));
        return 0;
    }
}
