package dev.slate.egress.trust;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;

/**
 * Server-side TLS settings for the hosts that are terminated, each with a certificate for that one name. All share one
 * leaf key, so a new host costs one signature. Keeps the most recently used ones. Thread-safe; {@link #forHost} may
 * take a millisecond and belongs off the event loop.
 */
public final class LeafContexts {

    private static final int MOST = 1024;
    private static final Duration RENEW_AFTER = Duration.ofDays(2);

    private record Key(String host, String protocol) {}

    private record Minted(SslContext context, Instant madeAt) {}

    private final PlatformAuthority authority;
    private final Clock clock;
    private final int most;
    private final KeyPair leafKey;
    private final Map<Key, Minted> contexts = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Minted> eldest) {
            return size() > most;
        }
    };

    public LeafContexts(PlatformAuthority authority, Clock clock, SecureRandom random) {
        this(authority, clock, random, MOST);
    }

    LeafContexts(PlatformAuthority authority, Clock clock, SecureRandom random, int most) {
        this.most = most;
        this.authority = authority;
        this.clock = clock;
        try {
            this.leafKey = PlatformAuthority.newKeyPair(random);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("leaf key", e);
        }
    }

    /**
     * The settings for one host, with a certificate that stays valid for some days.
     *
     * @param protocol the only protocol to agree on (ALPN)
     */
    public synchronized SslContext forHost(String host, String protocol) {
        var key = new Key(host, protocol);
        var minted = contexts.get(key);
        if (minted == null || minted.madeAt.plus(RENEW_AFTER).isBefore(clock.instant())) {
            minted = new Minted(make(host, protocol), clock.instant());
            contexts.put(key, minted);
        }
        return minted.context;
    }

    private SslContext make(String host, String protocol) {
        try {
            return SslContextBuilder.forServer(
                            leafKey.getPrivate(), authority.sign(host, leafKey), authority.certificate())
                    .sslProvider(UpstreamTrust.provider())
                    .protocols("TLSv1.3", "TLSv1.2")
                    .applicationProtocolConfig(UpstreamTrust.negotiation(List.of(protocol)))
                    .build();
        } catch (GeneralSecurityException | SSLException e) {
            throw new IllegalStateException("TLS settings for " + host, e);
        }
    }
}
