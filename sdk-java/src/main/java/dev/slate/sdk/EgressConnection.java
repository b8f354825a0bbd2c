package dev.slate.sdk;

import dev.slate.api.egress.v1.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * One connection that a sandbox made or tried to make. Has as many parts as the platform's audit record.
 *
 * @param protocol tls, http, tcp or dns
 * @param mode deny, splice (bytes passed untouched) or terminate (requests read, credentials put in)
 * @param reason a stable word, for example {@code host_not_allowed}
 * @param wouldDeny why a policy that only observes would have refused it; empty if it would not
 * @param credentials names of secrets that were put in
 */
public record EgressConnection(
        Instant openedAt,
        Duration duration,
        String protocol,
        String mode,
        String host,
        int port,
        boolean allowed,
        String reason,
        String rule,
        long policyGeneration,
        String resolvedAddress,
        long bytesUp,
        long bytesDown,
        List<String> credentials,
        int requests,
        String lastMethod,
        String lastPath,
        int lastStatus,
        String wouldDeny) {

    static EgressConnection of(Connection connection) {
        return new EgressConnection(
                Wire.instant(connection.getOpenedAt()),
                Wire.duration(connection.getDuration()),
                connection.getProtocol(),
                connection.getMode(),
                connection.getHost(),
                connection.getPort(),
                "allowed".equals(connection.getDecision()),
                connection.getReason(),
                connection.getRule(),
                connection.getPolicyGeneration(),
                connection.getResolvedAddress(),
                connection.getBytesUp(),
                connection.getBytesDown(),
                List.copyOf(connection.getCredentialsList()),
                connection.getRequests(),
                connection.getLastMethod(),
                connection.getLastPath(),
                connection.getLastStatus(),
                connection.getWouldDeny());
    }
}
