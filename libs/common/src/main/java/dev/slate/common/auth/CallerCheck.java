package dev.slate.common.auth;

/** A further check of each verified caller, such as whether its service token was revoked meanwhile. */
public interface CallerCheck {
    /** Throws when the caller must be refused. Must not block. */
    void check(Caller caller);
}
