package dev.slate.cli.identity;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.sdk.Slate;
import java.util.LinkedHashMap;
import picocli.CommandLine.Command;

/** {@code slate whoami}. */
@Command(name = "whoami", description = "Show who is signed in, and where.")
public final class WhoAmICommand extends ApiCommand {

    @Override
    protected int run(Slate slate, Output output) {
        var caller = slate.whoAmI();
        var rows = new LinkedHashMap<String, String>();
        rows.put("User", caller.displayName().isEmpty() ? caller.subject() : caller.displayName());
        rows.put("Team", caller.team());
        rows.put("Project", caller.project());
        rows.put("Environment", caller.environmentName());
        rows.put("Env Id", caller.environmentId());
        rows.put("Role", caller.role());
        rows.put("Permissions", String.join(" ", caller.permissions()));
        output.one(caller, rows);
        return 0;
    }
}
