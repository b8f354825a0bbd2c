package dev.slate.egress.policy;

import java.util.Optional;

/** What happens to a connection or request; {@code rule} is the policy entry that decided, as text for the audit. */
public sealed interface Decision {

    /** The policy entry that decided. */
    String rule();

    /** Why it would be refused if the policy did not only observe. */
    default Optional<Reason> wouldDeny() {
        return Optional.empty();
    }

    /** Refused. */
    record Deny(Reason reason, String rule) implements Decision {}

    /** Passed on as it is. */
    record Splice(String rule, Optional<Reason> wouldDeny) implements Decision {}

    /** Decrypted, because the sandbox has a credential for this host or rules look at its requests. */
    record Terminate(String rule) implements Decision {}

    /** Decrypted and sent to the gateways of the platform. */
    record Gateway(String rule, Optional<Reason> wouldDeny) implements Decision {}
}
