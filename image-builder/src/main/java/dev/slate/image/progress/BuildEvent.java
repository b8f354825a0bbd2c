package dev.slate.image.progress;

/** Something that happened in a build. */
public sealed interface BuildEvent {
    /** A part began, or was found done. Step 0 is the base. */
    record Phase(String message, int step, int steps, boolean cached) implements BuildEvent {}

    /** Output of a step. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares or changes it, and each copy would cost
    record Log(int step, byte[] output) implements BuildEvent {}
}
