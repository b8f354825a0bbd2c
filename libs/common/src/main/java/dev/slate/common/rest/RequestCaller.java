package dev.slate.common.rest;

import dev.slate.common.auth.Caller;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import jakarta.enterprise.context.RequestScoped;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The caller of the current REST request. */
@RequestScoped
public class RequestCaller {
    private @Nullable Caller caller;

    /** The caller; without one the request is refused. */
    public Caller get() {
        return Optional.ofNullable(caller)
                .orElseThrow(() -> new PlatformException(
                        ErrorCode.UNAUTHENTICATED, "no token: log in with `slate login`, or set SLATE_TOKEN"));
    }

    void set(Caller value) {
        caller = value;
    }
}
