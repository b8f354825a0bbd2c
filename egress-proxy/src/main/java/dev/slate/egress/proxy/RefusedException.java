package dev.slate.egress.proxy;

import dev.slate.egress.policy.Reason;
import org.jspecify.annotations.Nullable;

/** The way to an upstream failed for a reason that the client and the audit get to know. */
final class RefusedException extends RuntimeException {

    private final Reason reason;

    RefusedException(Reason reason, @Nullable Throwable cause) {
        super(reason.code(), cause);
        this.reason = reason;
    }

    Reason reason() {
        return reason;
    }
}
