package dev.slate.image.progress;

import java.nio.charset.StandardCharsets;

/** Takes what a build has to say. */
@FunctionalInterface
public interface Progress {
    void event(BuildEvent event);

    default void phase(String message, int step, int steps, boolean cached) {
        event(new BuildEvent.Phase(message, step, steps, cached));
    }

    default void log(int step, byte[] output) {
        event(new BuildEvent.Log(step, output));
    }

    default void log(int step, String output) {
        log(step, output.getBytes(StandardCharsets.UTF_8));
    }
}
