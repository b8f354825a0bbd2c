package dev.slate.runsc;

/** Takes what a container prints. Called from two threads, one a source; a slow consumer slows the container down. */
@FunctionalInterface
public interface OutputConsumer {

    /** Which stream the bytes were written to. */
    enum Source {
        STDOUT,
        STDERR
    }

    void accept(Source source, byte[] bytes);
}
