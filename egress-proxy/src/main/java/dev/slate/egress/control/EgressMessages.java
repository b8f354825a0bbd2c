package dev.slate.egress.control;

import com.google.protobuf.Duration;
import dev.slate.api.egress.v1.Connection;
import dev.slate.api.egress.v1.PutSandboxRequest;
import dev.slate.api.egress.v1.SandboxInForce;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.Timestamps;
import dev.slate.common.secret.SecretValue;
import dev.slate.egress.audit.ConnectionRecord;
import dev.slate.egress.credential.Credential;
import dev.slate.egress.credential.Placeholder;
import dev.slate.egress.host.HostName;
import dev.slate.egress.host.IpLiteral;
import dev.slate.egress.policy.NetworkPolicy;
import dev.slate.egress.policy.Sandbox;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Turns messages into what the proxy works with, and back. */
final class EgressMessages {

    private EgressMessages() {}

    static Sandbox sandbox(PutSandboxRequest request) {
        var source = IpLiteral.tryParse(request.getSourceAddress())
                .orElseThrow(() ->
                        PlatformException.invalid("source_address", request.getSourceAddress(), "an IPv4 address"));
        return parse(
                request,
                message -> new Sandbox(
                        sandboxId(message.getSandboxId()),
                        source.address(),
                        message.getGeneration(),
                        inForce(message.getPolicy()),
                        message.getCredentialsList().stream()
                                .map(EgressMessages::credential)
                                .toList(),
                        message.getPrivateHostsList().stream()
                                .map(HostName::parse)
                                .collect(Collectors.toUnmodifiableSet())));
    }

    /** A policy whose secrets have all become placeholders: a name of one would be sent as it is. */
    private static NetworkPolicy inForce(dev.slate.api.egress.v1.NetworkPolicy message) {
        for (var rule : message.getHostRulesList()) {
            for (var request : rule.getRulesList()) {
                if (request.getSetHeadersList().stream()
                        .anyMatch(header -> !header.getSecret().isEmpty())) {
                    throw new IllegalArgumentException(
                            "host rule: " + rule.getHost() + " has the name of a secret (expected: its placeholder)");
                }
            }
        }
        return PolicyMessages.policy(message);
    }

    /** A sandbox that exists nowhere, to ask a policy something. */
    static Sandbox imagined(dev.slate.api.egress.v1.NetworkPolicy message) {
        return new Sandbox(
                "none", IpLiteral.address(new byte[4]), 0, PolicyMessages.policy(message), List.of(), Set.of());
    }

    static String sandboxId(String id) {
        if (!id.matches("[A-Za-z0-9_-]{1,64}")) {
            throw PlatformException.invalid("sandbox_id", id, "1 to 64 letters, digits, '-' and '_'");
        }
        return id;
    }

    static long sequence(String after) {
        if (after.isEmpty()) {
            return 0;
        }
        try {
            return Long.parseLong(after);
        } catch (NumberFormatException _) {
            throw PlatformException.invalid("page_token", after, "the token of the page before");
        }
    }

    static SandboxInForce inForce(Sandbox sandbox) {
        return SandboxInForce.newBuilder()
                .setSandboxId(sandbox.id())
                .setSourceAddress(sandbox.source().getHostAddress())
                .setGeneration(sandbox.generation())
                .build();
    }

    static Connection connection(ConnectionRecord entry) {
        return Connection.newBuilder()
                .setOpenedAt(Timestamps.of(entry.openedAt()))
                .setDuration(Duration.newBuilder()
                        .setSeconds(entry.duration().toSeconds())
                        .setNanos(entry.duration().toNanosPart()))
                .setProtocol(entry.protocol())
                .setMode(entry.mode())
                .setHost(entry.host())
                .setPort(entry.port())
                .setDecision(entry.decision())
                .setReason(entry.reason())
                .setRule(entry.rule())
                .setPolicyGeneration(entry.generation())
                .setResolvedAddress(entry.resolvedAddress())
                .setBytesUp(entry.bytesUp())
                .setBytesDown(entry.bytesDown())
                .addAllCredentials(entry.credentials())
                .setRequests(entry.requests())
                .setLastMethod(entry.lastMethod())
                .setLastPath(entry.lastPath())
                .setLastStatus(entry.lastStatus())
                .setWouldDeny(entry.wouldDeny())
                .build();
    }

    private static Credential credential(dev.slate.api.egress.v1.Credential credential) {
        var hosts = credential.getHostsList().stream().map(HostName::parse).collect(Collectors.toUnmodifiableSet());
        var value = credential.getUnavailable()
                ? Optional.<SecretValue>empty()
                : Optional.of(SecretValue.of(credential.getValue().toByteArray()));
        return new Credential(credential.getName(), new Placeholder(credential.getPlaceholder()), hosts, value);
    }

    static <T, R> R parse(T message, Function<T, R> parser) {
        try {
            return parser.apply(message);
        } catch (IllegalArgumentException e) {
            throw new PlatformException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }
}
