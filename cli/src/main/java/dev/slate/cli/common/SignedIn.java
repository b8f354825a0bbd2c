package dev.slate.cli.common;

import dev.slate.sdk.internal.SignIn;
import java.util.Map;

/** The sign-in that {@code Slate.fromEnvironment()} uses, for commands that need the token itself. */
public final class SignedIn {

    private SignedIn() {}

    public static SignIn find(Map<String, String> environment) {
        return SignIn.find(environment, failure -> new CommandFailure(failure.message()));
    }
}
