package dev.slate.runsc;

/** A container and the two host processes behind it: the sentry, which is the sandbox, and the gofer, its file server. */
public record RunningContainer(ContainerId id, ProcessIdentity sentry, ProcessIdentity gofer) {

    /** Whether the sandbox still runs. It ends with the first process inside. */
    public boolean isAlive() {
        return sentry.isAlive();
    }
}
