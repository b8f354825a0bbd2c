package dev.slate.egress.policy;

import java.util.List;
import java.util.Optional;

/** What happens to one request of a host that may be reached; {@code rule} is what decided, as text for the audit. */
public sealed interface RequestDecision {

    /** What decided. */
    String rule();

    /**
     * It goes on, with these headers set.
     *
     * @param wouldDeny why it would be refused if the policy did not only observe
     */
    record Pass(List<SetHeader> setHeaders, String rule, Optional<Reason> wouldDeny) implements RequestDecision {
        public Pass {
            setHeaders = List.copyOf(setHeaders);
        }
    }

    /** Refused. */
    record Refuse(Reason reason, String rule) implements RequestDecision {}
}
