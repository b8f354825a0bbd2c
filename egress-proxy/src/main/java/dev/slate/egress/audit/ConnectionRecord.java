package dev.slate.egress.audit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What is kept of one connection. Texts from outside are already printable and short. {@code decision} is {@code
 * allowed} or {@code denied}, {@code credentials} are names of secrets that were put in, {@code misdirected} names of
 * those whose placeholder was sent to another host, {@code wouldDeny} is why a policy that only observes would have
 * refused it.
 */
public record ConnectionRecord(
        long sequence,
        Instant openedAt,
        Duration duration,
        String sandbox,
        int sourcePort,
        String protocol,
        String mode,
        String host,
        int port,
        String decision,
        String reason,
        String rule,
        long generation,
        String resolvedAddress,
        long bytesUp,
        long bytesDown,
        List<String> credentials,
        List<String> misdirected,
        int requests,
        String lastMethod,
        String lastPath,
        int lastStatus,
        String wouldDeny) {

    @SuppressWarnings("ConstantValue") // records of an earlier version have no wouldDeny
    public ConnectionRecord {
        wouldDeny = wouldDeny == null ? "" : wouldDeny;
        credentials = List.copyOf(credentials);
        misdirected = List.copyOf(misdirected);
    }
}
