package dev.slate.sdk;

import java.util.Locale;

/** Where a sandbox is in its life. */
public enum SandboxState {
    PENDING,
    BUILDING,
    STARTING,
    RUNNING,
    TERMINATING,
    TERMINATED,
    FAILED,
    /** A state of a newer platform. */
    UNKNOWN;

    /** As people write it, for example {@code running}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean ended() {
        return this == TERMINATED || this == FAILED;
    }

    static SandboxState of(dev.slate.api.sandbox.v1.State state) {
        return switch (state) {
            case STATE_PENDING -> PENDING;
            case STATE_BUILDING -> BUILDING;
            case STATE_STARTING -> STARTING;
            case STATE_RUNNING -> RUNNING;
            case STATE_TERMINATING -> TERMINATING;
            case STATE_TERMINATED -> TERMINATED;
            case STATE_FAILED -> FAILED;
            case STATE_UNSPECIFIED, UNRECOGNIZED -> UNKNOWN;
        };
    }
}
