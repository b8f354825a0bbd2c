package dev.slate.cli.common;

import dev.slate.sdk.internal.SignIn;

/** The sign-in that {@code Slate.fromEnvironment()} uses, for commands that need the token itself. */
public final class SignedIn {

    private SignedIn() {}

    public static SignIn find() {
        return SignIn.find(System.getenv(), failure -> new CommandFailure(failure.message()));
    }
}
