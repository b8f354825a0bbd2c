package dev.slate.egress.policy;

/** What the first bytes of a connection are. */
public enum Protocol {
    TLS,
    HTTP,
    /** Anything else, or a client that waits for the other side to speak first. */
    TCP
}
