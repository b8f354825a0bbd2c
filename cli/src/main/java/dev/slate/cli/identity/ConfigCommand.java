package dev.slate.cli.identity;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.sdk.Slate;
import java.util.LinkedHashMap;
import picocli.CommandLine.Command;

/** {@code slate config}. */
@Command(name = "config", description = "Show the addresses of the platform.")
public final class ConfigCommand extends ApiCommand {

    @Override
    protected int run(Slate slate, Output output) {
        var configuration = slate.configuration();
        var environmentId = slate.whoAmI().environmentId();
        var apiServer = "https://" + configuration.platformHost();
        var rows = new LinkedHashMap<String, String>();
        rows.put("API Server", apiServer);
        rows.put("Endpoint", configuration.endpoint().toString());
        rows.put("Env Id", environmentId);
        rows.put("Version", configuration.version());
        var json = new LinkedHashMap<String, String>();
        json.put("apiServer", apiServer);
        json.put("endpoint", configuration.endpoint().toString());
        json.put("environmentId", environmentId);
        json.put("version", configuration.version());
        output.one(json, rows);
        return 0;
    }
}
