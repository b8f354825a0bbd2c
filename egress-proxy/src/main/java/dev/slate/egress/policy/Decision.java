package dev.slate.egress.policy;

/** What happens to a connection or request; {@code rule} is the policy entry that decided, as text for the audit. */
public sealed interface Decision {

    /** The policy entry that decided. */
    String rule();

    /** Refused. */
    record Deny(Reason reason, String rule) implements Decision {}

    /** Passed on as it is. */
    record Splice(String rule) implements Decision {}

    /** Decrypted, because the sandbox has a credential for this host. */
    record Terminate(String rule) implements Decision {}

    /** Decrypted and sent to the gateways of the platform. */
    record Gateway(String rule) implements Decision {}
}
