package dev.slate.egress.proxy;

import dev.slate.egress.policy.Reason;
import org.jspecify.annotations.Nullable;

/** The way to an upstream failed for a reason that the client and the audit get to know. */
final class RefusedException extends RuntimeException {

    private final Reason reason;
    private final String rule;

    RefusedException(Reason reason, @Nullable Throwable cause) {
        this(reason, "", cause);
    }

    RefusedException(Reason reason, String rule, @Nullable Throwable cause) {
        super(reason.code(), cause);
        this.reason = reason;
        this.rule = rule;
    }

    /** What decided; empty if nothing of the policy did. */
    String rule() {
        return rule;
    }

    Reason reason() {
        return reason;
    }
}
