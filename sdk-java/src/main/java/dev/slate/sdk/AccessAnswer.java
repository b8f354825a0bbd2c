package dev.slate.sdk;

import java.util.List;

/**
 * What a policy decides. Has as many parts as there are things to say about it.
 *
 * @param decision allowed, denied or would_deny: let through only because the policy observes
 * @param reason a stable word, for example {@code host_not_allowed}; empty when allowed
 * @param explanation the reason as a sentence
 * @param rule the entry that decided
 * @param mode deny, splice (bytes pass untouched) or terminate (requests are read)
 * @param setHeaders names of headers that would be set
 * @param credentials names of secrets that could be put in
 * @param addresses what would be dialled, if it was looked up
 * @param policyGeneration of the sandbox; 0 if none was asked about
 */
public record AccessAnswer(
        String decision,
        String reason,
        String explanation,
        String rule,
        String mode,
        List<String> setHeaders,
        List<String> credentials,
        List<String> addresses,
        long policyGeneration) {

    /** Whether it would get through. */
    public boolean isAllowed() {
        return !decision.equals("denied");
    }

    static AccessAnswer of(dev.slate.api.egress.v1.AccessAnswer message) {
        return new AccessAnswer(
                message.getDecision(),
                message.getReason(),
                message.getExplanation(),
                message.getRule(),
                message.getMode(),
                List.copyOf(message.getSetHeadersList()),
                List.copyOf(message.getCredentialsList()),
                List.copyOf(message.getAddressesList()),
                message.getPolicyGeneration());
    }
}
