package dev.slate.sdk;

/**
 * A host whose requests the platform decrypts and looks at. Without {@link #allow} every request may pass; with it, only
 * those that one of the rules matches. Immutable: each method returns another rule.
 */
public final class HostRule {

    private final dev.slate.api.egress.v1.HostRule message;

    HostRule(dev.slate.api.egress.v1.HostRule message) {
        this.message = message;
    }

    /** A name or {@code *.name}, either with {@code :port}. */
    public static HostRule inspect(String host) {
        return new HostRule(dev.slate.api.egress.v1.HostRule.newBuilder()
                .setHost(host)
                .setInspect(true)
                .build());
    }

    /** Lets these requests through; the first rule that matches counts. */
    public HostRule allow(RequestRule rule) {
        return new HostRule(message.toBuilder().addRules(rule.message()).build());
    }

    public String host() {
        return message.getHost();
    }

    dev.slate.api.egress.v1.HostRule message() {
        return message;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HostRule rule && message.equals(rule.message);
    }

    @Override
    public int hashCode() {
        return message.hashCode();
    }

    @Override
    public String toString() {
        return host() + " (" + (message.getRulesCount() == 0 ? "inspected" : message.getRulesCount() + " rules") + ")";
    }
}
