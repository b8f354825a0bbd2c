package dev.slate.controlplane.sandbox;

import java.util.Locale;

/** Why a sandbox ended. Every end has exactly one. */
public enum Cause {
    /** Somebody asked for it. */
    USER(false),
    /** Its time was over. */
    LIFETIME(false),
    /** Nothing used it. */
    IDLE(false),
    /** It met its memory limit. */
    OOM(true),
    /** It met its disk limit. */
    DISK(true),
    /** Its image could not be built or used. */
    IMAGE(true),
    /** It could not be started, or broke down. */
    RUNTIME(true),
    /** It was gone when the platform came back. */
    NODE_LOST(true),
    /** The platform was shut down. */
    PLATFORM(false);

    private final boolean failure;

    Cause(boolean failure) {
        this.failure = failure;
    }

    /** Whether a sandbox that ends so has failed, as against ended as it should. */
    public boolean isFailure() {
        return failure;
    }

    /** The word that users see. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
