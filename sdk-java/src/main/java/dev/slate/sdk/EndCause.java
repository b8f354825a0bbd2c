package dev.slate.sdk;

import java.util.Locale;

/** Why a sandbox ended. */
public enum EndCause {
    /** It has not ended. */
    NONE,
    USER,
    LIFETIME,
    IDLE,
    /** The memory limit. */
    OOM,
    /** The disk limit. */
    DISK,
    /** The image could not be built or found. */
    IMAGE,
    RUNTIME,
    NODE_LOST,
    PLATFORM;

    /** As people write it, for example {@code lifetime}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static EndCause of(dev.slate.api.sandbox.v1.Cause cause) {
        return switch (cause) {
            case CAUSE_UNSPECIFIED -> NONE;
            case CAUSE_USER -> USER;
            case CAUSE_LIFETIME -> LIFETIME;
            case CAUSE_IDLE -> IDLE;
            case CAUSE_OOM -> OOM;
            case CAUSE_DISK -> DISK;
            case CAUSE_IMAGE -> IMAGE;
            case CAUSE_RUNTIME -> RUNTIME;
            case CAUSE_NODE_LOST -> NODE_LOST;
            case CAUSE_PLATFORM, UNRECOGNIZED -> PLATFORM;
        };
    }
}
