package dev.slate.egress.control;

import dev.slate.common.auth.ProxyProof;
import dev.slate.common.config.HomeConfig;
import dev.slate.common.config.PlatformConfig;
import dev.slate.common.grpc.InternalApi;
import dev.slate.egress.host.HostName;
import dev.slate.egress.policy.AddressGuard;
import dev.slate.egress.policy.Cidr;
import dev.slate.egress.proxy.Gateway;
import dev.slate.egress.proxy.ProxyServer;
import dev.slate.egress.proxy.SystemResolver;
import io.grpc.BindableService;
import io.quarkus.runtime.Startup;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Set;
import java.util.stream.Collectors;

/** Runs the proxy in a process of the platform and offers its internal API there. */
@Startup
@Singleton
class EgressServices {

    private final EgressConfig config;
    private final EgressProxy proxy;

    EgressServices(EgressConfig config, HomeConfig home, PlatformConfig platform, ProxyProof proof, Clock clock) {
        this.config = config;
        var privateHosts = config.privateHosts().orElse(Set.of()).stream()
                .map(String::strip)
                .map(HostName::parse)
                .collect(Collectors.toUnmodifiableSet());
        this.proxy = new EgressProxy(
                new EgressProxy.Setup(
                        home.home().resolve("egress"),
                        new Gateway(HostName.parse(platform.host()), address(config.gateway()), proof.value()),
                        config.extraCaFile(),
                        new AddressGuard(
                                privateHosts,
                                config.platformRanges().stream()
                                        .map(Cidr::parse)
                                        .toList()),
                        new SystemResolver(),
                        config.audit().queueLength(),
                        config.audit().maxFileBytes()),
                clock,
                new SecureRandom());
    }

    @PostConstruct
    void start() {
        if (config.enabled()) {
            var _ = proxy.serveDns(new InetSocketAddress(config.listenAddress(), config.dnsPort()));
            var _ = ProxyServer.transparent(proxy.plane(), proxy.loops())
                    .listen(new InetSocketAddress(config.listenAddress(), config.port()));
        }
    }

    @PreDestroy
    void stop() {
        proxy.close();
    }

    @Produces
    @Singleton
    @InternalApi
    BindableService control() {
        return new EgressControlGrpc(proxy.control());
    }

    private static InetSocketAddress address(String text) {
        var colon = text.lastIndexOf(':');
        if (colon < 1) {
            throw new IllegalArgumentException("slate.egress.gateway: " + text + " (expected: host:port)");
        }
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }
}
