package dev.slate.controlplane.router;

import dev.slate.common.auth.ProxyProof;
import dev.slate.common.id.IdSource;
import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.secret.Envelopes;
import io.quarkus.runtime.configuration.MemorySize;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;

/** The gateway put together by hand, over stores in memory and with short limits. */
final class GatewayParts {
    static final Duration LIMIT = Duration.ofSeconds(2);
    static final int MAX_BODY = 100_000;

    private static final RouterConfig CONFIG = new RouterConfig() {
        @Override
        public Duration connectTimeout() {
            return LIMIT;
        }

        @Override
        public Duration firstByteTimeout() {
            return LIMIT;
        }

        @Override
        public Duration idleTimeout() {
            return LIMIT;
        }

        @Override
        public Duration modelsTimeout() {
            return LIMIT;
        }

        @Override
        public MemorySize maxRequestBody() {
            return new MemorySize(BigInteger.valueOf(MAX_BODY));
        }

        @Override
        public MemorySize maxResponseBody() {
            return new MemorySize(BigInteger.valueOf(MAX_BODY));
        }
    };

    private final Path home;
    private final GatewayKeys keys;
    private final Connections connections;
    private final ModelCatalog models;
    private final Upstream upstream = new Upstream(CONFIG);

    GatewayParts(Path home) {
        this.home = home;
        this.keys = new GatewayKeys(new FakeGatewayKeyStore(), new IdSource(), Clock.systemUTC(), () -> home);
        this.connections = new Connections(
                new FakeConnectionStore(), new Envelopes(SecretValue.of(new byte[32])), Clock.systemUTC());
        this.models = new ModelCatalog(connections, upstream, CONFIG);
    }

    GatewayKeys keys() {
        return keys;
    }

    Connections connections() {
        return connections;
    }

    RouterAdminGrpc admin() {
        return new RouterAdminGrpc(keys, connections, models);
    }

    GatewayResource resource() {
        return new GatewayResource(
                new Gateway(keys, connections, models, upstream, CONFIG), CONFIG, new ProxyProof(home), new IdSource());
    }
}
