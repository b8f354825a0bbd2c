package dev.slate.controlplane.agent;

/** Which processes of an exec get a signal. */
public enum SignalScope {
    MAIN_PROCESS(0),
    TREE(1);

    private final int number;

    SignalScope(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
