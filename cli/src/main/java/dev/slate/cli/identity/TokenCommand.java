package dev.slate.cli.identity;

import dev.slate.cli.common.Output;
import dev.slate.cli.common.SignedIn;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code slate token}. */
@Command(name = "token", description = "Print a bearer token, for curl.", mixinStandardHelpOptions = true)
public final class TokenCommand implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        var signIn = SignedIn.find(output.environment());
        var token = signIn.tokens().token();
        output.value(Map.of("endpoint", signIn.endpoint().toString(), "token", token), token);
        return 0;
    }
}
