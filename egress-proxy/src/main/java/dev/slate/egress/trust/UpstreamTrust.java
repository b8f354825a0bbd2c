package dev.slate.egress.trust;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Client-side TLS towards the real hosts: always verified, names included. Thread-safe. */
public final class UpstreamTrust {

    private static final List<Path> HOST_BUNDLES = List.of(
            Path.of("/etc/ssl/certs/ca-certificates.crt"),
            Path.of("/etc/pki/tls/certs/ca-bundle.crt"),
            Path.of("/etc/ssl/cert.pem"));

    private final Set<X509Certificate> roots;
    private final TrustManagerFactory trusted;
    private final Map<List<String>, SslContext> contexts = new ConcurrentHashMap<>();

    private UpstreamTrust(Set<X509Certificate> roots, TrustManagerFactory trusted) {
        this.roots = roots;
        this.trusted = trusted;
    }

    /** Trusts the roots of the JDK, those of the host system if it has a bundle, and those in an extra file. */
    public static UpstreamTrust load(Optional<Path> extraFile) {
        try {
            var roots = new LinkedHashSet<X509Certificate>(jdkRoots());
            for (var bundle : HOST_BUNDLES) {
                if (Files.isReadable(bundle)) {
                    roots.addAll(read(bundle));
                }
            }
            if (extraFile.isPresent()) {
                roots.addAll(read(extraFile.get()));
            }
            return new UpstreamTrust(roots, trusted(roots));
        } catch (IOException e) {
            throw new UncheckedIOException("trusted certificates", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("trusted certificates", e);
        }
    }

    /** BoringSSL where its library loads, which costs a fraction of the JDK's own TLS. */
    static SslProvider provider() {
        return OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
    }

    /**
     * A handler that completes its handshake only with a host that proves this name.
     *
     * @param protocols what to offer the host (ALPN), best first; empty to offer nothing
     * @param worker runs what takes long in a handshake
     */
    public SslHandler newHandler(
            ByteBufAllocator allocator, String host, int port, List<String> protocols, Executor worker) {
        var handler = contexts.computeIfAbsent(List.copyOf(protocols), this::context)
                .newHandler(allocator, host, port, worker);
        var parameters = handler.engine().getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        handler.engine().setSSLParameters(parameters);
        return handler;
    }

    /** Everything trusted, for the bundle that sandboxes get. */
    Collection<X509Certificate> roots() {
        return roots;
    }

    /** The protocols an endpoint takes part in (ALPN). */
    static ApplicationProtocolConfig negotiation(List<String> protocols) {
        return protocols.isEmpty()
                ? ApplicationProtocolConfig.DISABLED
                : new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        protocols);
    }

    private SslContext context(List<String> protocols) {
        try {
            return SslContextBuilder.forClient()
                    .sslProvider(provider())
                    .protocols("TLSv1.3", "TLSv1.2")
                    .trustManager(trusted)
                    .applicationProtocolConfig(negotiation(protocols))
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS settings towards hosts", e);
        }
    }

    private static TrustManagerFactory trusted(Collection<X509Certificate> roots)
            throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        var number = 0;
        for (var root : roots) {
            store.setCertificateEntry("root-" + number++, root);
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory;
    }

    private static List<X509Certificate> jdkRoots() throws GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        return Stream.of(factory.getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .flatMap(manager -> Stream.of(((X509TrustManager) manager).getAcceptedIssuers()))
                .toList();
    }

    private static List<X509Certificate> read(Path file) throws IOException, GeneralSecurityException {
        // The certificate factory reads byte by byte.
        try (var input = new BufferedInputStream(Files.newInputStream(file))) {
            return CertificateFactory.getInstance("X.509").generateCertificates(input).stream()
                    .map(X509Certificate.class::cast)
                    .toList();
        }
    }
}
