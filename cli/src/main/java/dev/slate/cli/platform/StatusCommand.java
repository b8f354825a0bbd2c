package dev.slate.cli.platform;

import dev.slate.cli.common.Output;
import java.util.LinkedHashMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code slate status}. */
@Command(
        name = "status",
        description = "Show whether the platform of this host runs; exit status 1 when it does not.",
        mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        var home = SlateHome.of(output.environment());
        var process = PlatformProcess.find(home);
        var endpoint = home.endpoint().orElse("");
        var ready = process.isPresent() && Readiness.isReady(endpoint);
        var state = ready ? "ready" : process.isPresent() ? "not ready" : "down";
        var rows = new LinkedHashMap<String, Object>();
        rows.put("State", state);
        rows.put("Endpoint", endpoint);
        rows.put(
                "Process",
                process.map(found -> Long.toString(found.handle().pid())).orElse("-"));
        rows.put("Home", home.path());
        rows.put("Log", home.log());
        var json = new LinkedHashMap<String, Object>();
        json.put("state", state);
        json.put("endpoint", endpoint);
        json.put("pid", process.map(found -> found.handle().pid()).orElse(0L));
        json.put("home", home.path().toString());
        json.put("log", home.log().toString());
        output.one(json, rows);
        return ready ? 0 : 1;
    }
}
