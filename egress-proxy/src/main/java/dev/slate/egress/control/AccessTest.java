package dev.slate.egress.control;

import dev.slate.api.egress.v1.AccessAnswer;
import dev.slate.api.egress.v1.AccessQuestion;
import dev.slate.egress.credential.Credential;
import dev.slate.egress.host.Host;
import dev.slate.egress.host.IpLiteral;
import dev.slate.egress.policy.Decision;
import dev.slate.egress.policy.Protocol;
import dev.slate.egress.policy.Reason;
import dev.slate.egress.policy.RequestDecision;
import dev.slate.egress.policy.RequestFacts;
import dev.slate.egress.policy.Sandbox;
import dev.slate.egress.policy.SetHeader;
import dev.slate.egress.proxy.DataPlane;
import dev.slate.egress.proxy.Upstreams.Lookup;
import java.util.Map;

/** Asks what would be decided: the same calls, in the same order, as for a connection. */
final class AccessTest {

    private final DataPlane plane;

    AccessTest(DataPlane plane) {
        this.plane = plane;
    }

    AccessAnswer answer(Sandbox sandbox, AccessQuestion question) {
        var host = Host.parse(question.getHost());
        var port = port(question);
        var protocol = protocol(question, port);
        var answer = AccessAnswer.newBuilder().setPolicyGeneration(sandbox.generation());
        var decision = sandbox.decide(host, port, protocol, plane.gateway().name());
        if (decision instanceof Decision.Deny(var reason, var rule)) {
            return refused(answer, reason, rule);
        }
        answer.setMode(mode(decision, protocol)).setRule(decision.rule());
        var wouldDeny = decision.wouldDeny();
        if (!question.getMethod().isEmpty()) {
            if (protocol == Protocol.HTTP || decision instanceof Decision.Terminate) {
                switch (sandbox.decide(host, port, facts(question))) {
                    case RequestDecision.Refuse(var reason, var rule) -> {
                        return refused(answer, reason, rule);
                    }
                    case RequestDecision.Pass(var set, var rule, var noted) -> {
                        wouldDeny = wouldDeny.or(() -> noted);
                        answer.setRule(rule)
                                .addAllSetHeaders(
                                        set.stream().map(SetHeader::name).toList());
                    }
                }
            }
        }
        if (question.getResolve() || host instanceof IpLiteral) {
            switch (plane.upstreams().look(host, port, sandbox.addressRules())) {
                case Lookup.Found(var addresses) -> answer.addAllAddresses(addresses);
                case Lookup.Refused(var reason, var rule) -> {
                    return refused(answer, reason, rule);
                }
            }
        }
        if (decision instanceof Decision.Terminate && port == 443) {
            answer.addAllCredentials(sandbox.credentialsFor(host).stream()
                    .map(Credential::name)
                    .distinct()
                    .toList());
        }
        return wouldDeny
                .map(reason -> explained(answer, "would_deny", reason))
                .orElseGet(() -> answer.setDecision("allowed"))
                .build();
    }

    private static AccessAnswer refused(AccessAnswer.Builder answer, Reason reason, String rule) {
        return explained(answer, "denied", reason)
                .setMode("deny")
                .setRule(rule)
                .clearSetHeaders()
                .build();
    }

    private static AccessAnswer.Builder explained(AccessAnswer.Builder answer, String decision, Reason reason) {
        return answer.setDecision(decision).setReason(reason.code()).setExplanation(reason.explanation());
    }

    private static int port(AccessQuestion question) {
        var usual = question.getProtocol().equals("http") ? 80 : 443;
        var port = question.getPort() == 0 ? usual : question.getPort();
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 1 to 65535)");
        }
        return port;
    }

    private static Protocol protocol(AccessQuestion question, int port) {
        return switch (question.getProtocol()) {
            case "" -> port == 80 ? Protocol.HTTP : Protocol.TLS;
            case "tls" -> Protocol.TLS;
            case "http" -> Protocol.HTTP;
            case "tcp" -> Protocol.TCP;
            default ->
                throw new IllegalArgumentException(
                        "protocol: " + question.getProtocol() + " (expected: tls, http or tcp)");
        };
    }

    private static RequestFacts facts(AccessQuestion question) {
        var headers = question.getHeadersMap();
        return new RequestFacts(
                question.getMethod(),
                question.getPath().isEmpty() ? "/" : question.getPath(),
                name -> headers.entrySet().stream()
                        .filter(header -> header.getKey().equalsIgnoreCase(name))
                        .map(Map.Entry::getValue)
                        .toList());
    }

    private static String mode(Decision decision, Protocol protocol) {
        return decision instanceof Decision.Splice && protocol != Protocol.HTTP ? "splice" : "terminate";
    }
}
