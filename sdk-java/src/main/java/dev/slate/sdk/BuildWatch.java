package dev.slate.sdk;

import dev.slate.api.image.v1.BuildEvent;

/** Passes the events of a build on to a listener. */
final class BuildWatch {

    private final Progress listener;

    BuildWatch(Progress listener) {
        this.listener = listener;
    }

    void accept(BuildEvent event) {
        switch (event.getKindCase()) {
            case PHASE -> {
                var phase = event.getPhase();
                listener.phase("image: " + phase.getMessage() + (phase.getCached() ? " (cached)" : ""));
            }
            case LOG -> listener.output(event.getLog().getOutput().toStringUtf8());
            case RESULT, KIND_NOT_SET -> {
                // A result is the caller's; an unknown kind comes from a newer platform.
            }
        }
    }
}
