package dev.slate.cli.sandbox;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.cli.common.Typed;
import dev.slate.sdk.Slate;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code slate sandbox allow}. */
@Command(name = "allow", description = "Let a sandbox reach one more host for some time.")
final class AllowCommand extends ApiCommand {

    @Parameters(index = "0", paramLabel = "NAME", description = "Name or id of the sandbox.")
    private String sandbox = "";

    @Parameters(index = "1", paramLabel = "HOST[:PORT]", description = "A host, or a route such as 10.1.2.3/32:5432.")
    private String destination = "";

    @Option(names = "--for", paramLabel = "TIME", description = "For example 90s, 5m (default) or 2h; at most 24h.")
    private String time = "5m";

    @Override
    protected int run(Slate slate, Output output) {
        var ends = slate.sandboxes().get(sandbox).allow(destination, Typed.duration("--for", time));
        output.value(
                Map.of("sandbox", sandbox, "allowed", destination, "expiresAt", ends),
                "allowed " + destination + " until " + ends);
        return 0;
    }
}
