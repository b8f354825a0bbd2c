package dev.slate.cli.sandbox;

import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Output;
import dev.slate.cli.policy.PolicyOptions;
import dev.slate.sdk.PolicyEntry;
import dev.slate.sdk.Slate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code slate sandbox policy}. */
@Command(
        name = "policy",
        description = "Show and replace what a sandbox may reach.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {PolicyCommand.Get.class, PolicyCommand.Set.class})
final class PolicyCommand {

    private PolicyCommand() {}

    /** {@code slate sandbox policy get}. */
    @Command(name = "get", description = "List what is in force, and why.")
    static final class Get extends OnSandbox {

        @Override
        protected int run(Slate slate, Output output) {
            var info = slate.sandboxes().get(sandbox()).info();
            if (output.isJson()) {
                var all = new LinkedHashMap<String, Object>();
                all.put("generation", info.policyGeneration());
                all.put("policy", info.policy());
                all.put("entries", info.policyEntries());
                output.one(all, Map.of());
                return 0;
            }
            if (info.policy().isObserving()) {
                output.err().println(SandboxText.OBSERVED);
            }
            output.list(
                    info.policyEntries(),
                    List.of(
                            new Output.Column<>("KIND", PolicyEntry::kind),
                            new Output.Column<>("ENTRY", PolicyEntry::entry),
                            new Output.Column<>("FROM", PolicyEntry::source),
                            new Output.Column<>("DETAIL", SandboxText::detail)));
            return 0;
        }
    }

    /** {@code slate sandbox policy set}. */
    @Command(
            name = "set",
            description = "Replace the policy; done when it is in force and connections that it forbids are cut.")
    static final class Set extends OnSandbox {

        @Mixin
        private final PolicyOptions policy = new PolicyOptions();

        @Override
        protected int run(Slate slate, Output output) {
            var wanted = policy.policy()
                    .orElseThrow(() -> new CommandFailure(
                            "no policy (expected: --host, --route, --open, --no-network or --policy)"));
            var info = slate.sandboxes().get(sandbox()).updateNetworkPolicy(wanted);
            output.value(info, "policy of " + sandbox() + " is in force, generation " + info.policyGeneration());
            return 0;
        }
    }
}
