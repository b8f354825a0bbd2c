package dev.slate.egress.trust;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
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

    private record Minted(SslContext context, Instant madeAt) {}

    private final PlatformAuthority authority;
    private final Clock clock;
    private final KeyPair leafKey;
    private final Map<String, Minted> contexts = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Minted> eldest) {
            return size() > MOST;
        }
    };

    public LeafContexts(PlatformAuthority authority, Clock clock, SecureRandom random) {
        this.authority = authority;
        this.clock = clock;
        try {
            this.leafKey = PlatformAuthority.newKeyPair(random);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("leaf key", e);
        }
    }

    /** The settings for one host, with a certificate that stays valid for some days. */
    public synchronized SslContext forHost(String host) {
        var minted = contexts.get(host);
        if (minted == null || minted.madeAt.plus(RENEW_AFTER).isBefore(clock.instant())) {
            minted = new Minted(make(host), clock.instant());
            contexts.put(host, minted);
        }
        return minted.context;
    }

    private SslContext make(String host) {
        try {
            return SslContextBuilder.forServer(
                            leafKey.getPrivate(), authority.sign(host, leafKey), authority.certificate())
                    .sslProvider(UpstreamTrust.provider())
                    .protocols("TLSv1.3", "TLSv1.2")
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            Protocol.ALPN,
                            SelectorFailureBehavior.NO_ADVERTISE,
                            SelectedListenerFailureBehavior.ACCEPT,
                            "http/1.1"))
                    .build();
        } catch (GeneralSecurityException | SSLException e) {
            throw new IllegalStateException("TLS settings for " + host, e);
        }
    }
}
