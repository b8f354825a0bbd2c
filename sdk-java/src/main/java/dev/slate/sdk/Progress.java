package dev.slate.sdk;

/** Told what happens while an image is built or a sandbox starts. Called by the thread that waits for it. */
public interface Progress {

    /** A new phase, for example {@code step 2 of 4: apt install python3-pandas}. */
    void phase(String message);

    /** Raw output of a build step, in pieces. */
    default void output(String text) {}

    /** Nothing more will come for now. */
    default void done() {}

    /** Says nothing. */
    static Progress none() {
        return _ -> {};
    }

    /** Lines on standard error; on a terminal one line that is rewritten. */
    static Progress standardError() {
        return StandardErrorProgress.create();
    }
}
