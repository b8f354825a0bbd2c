package dev.slate.cli.policy;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Output;
import dev.slate.cli.common.Typed;
import dev.slate.sdk.Access;
import dev.slate.sdk.AccessAnswer;
import dev.slate.sdk.Slate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code slate policy test}. */
@Command(
        name = "test",
        description = "Say what a policy decides, by the code that decides. Exit status 1 if it refuses.")
final class TestCommand extends ApiCommand {

    @Option(names = "--policy", paramLabel = "FILE", description = "A policy as JSON.")
    private Optional<Path> file = Optional.empty();

    @Option(names = "--sandbox", paramLabel = "NAME", description = "What is in force for a sandbox.")
    private String sandbox = "";

    @Option(names = "--host", required = true, paramLabel = "HOST", description = "Name or address to reach.")
    private String host = "";

    @Option(names = "--port", paramLabel = "PORT", description = "Default 443, or 80 for http.")
    private int port;

    @Option(names = "--protocol", paramLabel = "PROTOCOL", description = "tls, http or tcp.")
    private String protocol = "";

    @Option(names = "--method", paramLabel = "METHOD", description = "Ask about a request; GET with --path.")
    private String method = "";

    @Option(names = "--path", paramLabel = "PATH", description = "With its query.")
    private String path = "";

    @Option(names = "--header", paramLabel = "NAME=VALUE", description = "A header of the request.")
    private List<String> headers = new ArrayList<>();

    @Option(names = "--resolve", description = "Look the host up and check its addresses, too.")
    private boolean resolve;

    @Override
    protected int run(Slate slate, Output output) {
        if (sandbox.isEmpty() == file.isEmpty()) {
            throw new CommandFailure("no policy (expected: either --policy FILE or --sandbox NAME)");
        }
        var answer = file.isPresent()
                ? slate.testNetworkPolicy(PolicyOptions.read(file.get()), access())
                : slate.sandboxes().get(sandbox).testNetworkPolicy(access());
        output.one(answer, rows(answer));
        return answer.isAllowed() ? 0 : 1;
    }

    private Access access() {
        var access = Access.to(host).port(port);
        if (!protocol.isEmpty()) {
            access = access.protocol(protocol);
        }
        if (!method.isEmpty() || !path.isEmpty() || !headers.isEmpty()) {
            access = access.request(method.isEmpty() ? "GET" : method, path.isEmpty() ? "/" : path);
        }
        for (var header : headers) {
            var pair = Typed.pair("--header", header);
            access = access.header(pair.getKey(), pair.getValue());
        }
        return resolve ? access.resolve() : access;
    }

    private static Map<String, String> rows(AccessAnswer answer) {
        var rows = new LinkedHashMap<String, String>();
        rows.put("Decision", answer.decision());
        if (!answer.reason().isEmpty()) {
            rows.put("Reason", answer.reason() + ": " + answer.explanation());
        }
        rows.put("Rule", answer.rule());
        rows.put("Mode", answer.mode());
        put(rows, "Sets headers", answer.setHeaders());
        put(rows, "Credentials", answer.credentials());
        put(rows, "Addresses", answer.addresses());
        return rows;
    }

    private static void put(Map<String, String> rows, String name, List<String> values) {
        if (!values.isEmpty()) {
            rows.put(name, String.join(", ", values));
        }
    }
}
