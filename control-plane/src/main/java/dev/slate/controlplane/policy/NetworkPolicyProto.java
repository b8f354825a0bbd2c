package dev.slate.controlplane.policy;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.slate.api.egress.v1.HostRule;
import dev.slate.api.egress.v1.NetworkPolicy.Mode;
import dev.slate.api.egress.v1.RequestRule;
import dev.slate.api.egress.v1.SetHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Translates policies between the domain and the wire. */
public final class NetworkPolicyProto {
    static final NetworkPolicy OPEN = parse(dev.slate.api.egress.v1.NetworkPolicy.newBuilder()
            .setMode(Mode.MODE_OPEN)
            .build());
    private static final String SECRET = "{secret}";

    private NetworkPolicyProto() {}

    /** Takes a policy as it is; what a client sent has yet to be checked by the proxy. */
    public static NetworkPolicy parse(dev.slate.api.egress.v1.NetworkPolicy message) {
        return new NetworkPolicy(message.toByteString());
    }

    /** Renders a policy. */
    public static dev.slate.api.egress.v1.NetworkPolicy render(NetworkPolicy policy) {
        try {
            return dev.slate.api.egress.v1.NetworkPolicy.parseFrom(policy.encoded());
        } catch (InvalidProtocolBufferException damaged) {
            throw new IllegalStateException("a stored network policy cannot be read", damaged);
        }
    }

    /** The names of the secrets that a policy sets headers with. */
    public static List<String> secrets(NetworkPolicy policy) {
        return headers(render(policy))
                .map(SetHeader::getSecret)
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
    }

    /** Puts a fresh placeholder where a header is set with a secret, and says what each of them stands for. */
    public static WithPlaceholders withPlaceholders(NetworkPolicy policy, Supplier<String> placeholders) {
        List<HeaderSecret> secrets = new ArrayList<>();
        var message = render(policy).toBuilder();
        for (HostRule.Builder host : message.getHostRulesBuilderList()) {
            for (RequestRule.Builder rule : host.getRulesBuilderList()) {
                for (SetHeader.Builder header : rule.getSetHeadersBuilderList()) {
                    if (!header.getSecret().isEmpty()) {
                        String placeholder = placeholders.get();
                        secrets.add(new HeaderSecret(header.getSecret(), placeholder, name(host.getHost())));
                        header.setValue(header.getValue().replace(SECRET, placeholder))
                                .clearSecret();
                    }
                }
            }
        }
        return new WithPlaceholders(parse(message.build()), secrets);
    }

    /** A policy as the proxy gets it. */
    public record WithPlaceholders(NetworkPolicy policy, List<HeaderSecret> secrets) {
        public WithPlaceholders {
            secrets = List.copyOf(secrets);
        }
    }

    /** A secret that a placeholder in a header stands for, and the one host that the header is sent to. */
    public record HeaderSecret(String secret, String placeholder, String host) {}

    private static java.util.stream.Stream<SetHeader> headers(dev.slate.api.egress.v1.NetworkPolicy message) {
        return message.getHostRulesList().stream()
                .flatMap(host -> host.getRulesList().stream())
                .flatMap(rule -> rule.getSetHeadersList().stream());
    }

    private static String name(String entry) {
        int colon = entry.indexOf(':');
        return colon < 0 ? entry : entry.substring(0, colon);
    }
}
