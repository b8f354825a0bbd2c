package dev.slate.egress.proxy;

import dev.slate.egress.credential.Credential;
import dev.slate.egress.credential.HeaderSwap;
import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;
import dev.slate.egress.policy.Decision;
import dev.slate.egress.policy.Protocol;
import dev.slate.egress.policy.Reason;
import dev.slate.egress.policy.RequestDecision;
import dev.slate.egress.policy.RequestFacts;
import dev.slate.egress.policy.Sandbox;
import dev.slate.egress.policy.SetHeader;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Decides on one request after the other of a connection and rewrites those that may go on. The order matters: who it
 * is for, whether the policy allows it, hop-by-hop headers out, and only then secrets in.
 */
final class RequestRules {

    /** What becomes of a request. */
    sealed interface Outcome {

        /** Answered by the proxy. */
        record Refuse(int status, Reason reason, String host, String rule) implements Outcome {}

        /** Sent on as {@code request}; {@code credentials} are those an answer must not repeat. */
        record Forward(HttpRequest request, Route route, List<Credential> credentials, boolean upgrade)
                implements Outcome {
            public Forward {
                credentials = List.copyOf(credentials);
            }
        }
    }

    private static final Set<String> HOP_BY_HOP = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authorization",
            "proxy-authenticate",
            "te",
            "trailer",
            "upgrade",
            "http2-settings",
            "host");
    private static final Set<String> NOT_HOP_BY_HOP = Set.of("host", "content-length", "transfer-encoding");
    private static final Set<String> PLATFORM_HEADERS =
            Set.of(Gateway.SANDBOX_HEADER, Gateway.PROOF_HEADER, "forwarded");

    private final Connection connection;
    private final Optional<HostName> serverName;
    private Optional<Host> first = Optional.empty();

    /** @param serverName the host that the TLS hello named; empty on plain connections */
    RequestRules(Connection connection, Optional<HostName> serverName) {
        this.connection = connection;
        this.serverName = serverName;
    }

    /** Whether this connection is TLS. */
    boolean isTls() {
        return serverName.isPresent();
    }

    Outcome check(HttpRequest request) {
        var method = request.method().name();
        if (Set.of("TRACE", "TRACK", "CONNECT").contains(method)) {
            return refuse(405, Reason.METHOD_REFUSED, "", "");
        }
        var target = Target.parse(request, isTls());
        if (target.isEmpty()) {
            return refuse(400, Reason.BAD_REQUEST, "", "");
        }
        var host = target.get().host();
        if (connection.isExplicit()) {
            if (!Target.isWhole(request)) {
                return refuse(400, Reason.BAD_REQUEST, host.value(), "");
            }
            connection.aim(host, target.get().port().orElse(80));
        }
        if (!target.get().fitsPort(connection.port())) {
            return refuse(400, Reason.BAD_REQUEST, host.value(), "");
        }
        if (!connection.isExplicit()
                && !serverName
                        .map(Host.class::cast)
                        .or(() -> first)
                        .orElse(host)
                        .equals(host)) {
            return refuse(421, Reason.WRONG_HOST, host.value(), "");
        }
        first = Optional.of(host);
        var decision = connection.decide(host, isTls() ? Protocol.TLS : Protocol.HTTP);
        if (decision instanceof Decision.Deny(var reason, var rule)) {
            return refuse(403, reason, host.value(), rule);
        }
        if (!isTls() && !connection.addressFits(host)) {
            return refuse(403, Reason.ADDRESS_MISMATCH, host.value(), decision.rule());
        }
        return forward(request, target.get(), decision);
    }

    private Outcome forward(HttpRequest request, Target target, Decision decision) {
        var expectation = request.headers().get(HttpHeaderNames.EXPECT);
        if (expectation != null && !expectation.equalsIgnoreCase("100-continue")) {
            return refuse(417, Reason.BAD_REQUEST, target.host().value(), decision.rule());
        }
        var nominated = nominated(request.headers());
        if (nominated.stream().anyMatch(NOT_HOP_BY_HOP::contains)) {
            return refuse(400, Reason.BAD_REQUEST, target.host().value(), decision.rule());
        }
        if (decision instanceof Decision.Gateway && !PlatformPaths.isOpen(target.path())) {
            return refuse(403, Reason.PATH_REFUSED, target.host().value(), decision.rule());
        }
        var facts = new RequestFacts(
                request.method().name(), target.path(), name -> sentOn(name, request.headers(), nominated));
        var passed = connection.decide(target.host(), facts);
        if (passed instanceof RequestDecision.Refuse(var reason, var rule)) {
            return refuse(403, reason, target.host().value(), rule);
        }
        var set = passed instanceof RequestDecision.Pass pass ? pass.setHeaders() : List.<SetHeader>of();
        var upgrade = isWebSocket(request, nominated);
        var credentials = connection.decidedFor().map(Sandbox::credentials).orElse(List.of());
        var headers = new DefaultHttpHeaders();
        headers.set(HttpHeaderNames.HOST, target.hostHeader(connection.port()));
        var failure = copyHeaders(request.headers(), headers, nominated, set, target.host(), credentials, decision);
        if (failure.isPresent()) {
            return failure.get();
        }
        if (upgrade) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
            headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
        }
        if (!upgrade && wantsTrailers(request)) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderNames.TE);
            headers.set(HttpHeaderNames.TE, HttpHeaderValues.TRAILERS);
        }
        var bound = credentials.stream()
                .filter(c -> target.host() instanceof HostName name && c.hosts().contains(name))
                .toList();
        if (isTls() && !bound.isEmpty() && headers.contains(HttpHeaderNames.ACCEPT_ENCODING)) {
            // A compressed answer could not be searched for the secret.
            headers.set(HttpHeaderNames.ACCEPT_ENCODING, HttpHeaderValues.IDENTITY);
        }
        if (decision instanceof Decision.Gateway) {
            var gateway = connection.plane().gateway();
            headers.set(
                    Gateway.SANDBOX_HEADER,
                    connection.decidedFor().map(Sandbox::id).orElse(""));
            headers.set(Gateway.PROOF_HEADER, gateway.proof().revealText());
        }
        return new Outcome.Forward(
                new DefaultHttpRequest(HttpVersion.HTTP_1_1, request.method(), target.path(), headers),
                route(target.host(), decision),
                isTls() ? bound : List.of(),
                upgrade);
    }

    /** A header that ends here must not fulfil a condition, because the host will not see it. */
    private static List<String> sentOn(String name, HttpHeaders headers, Set<String> nominated) {
        var lower = name.toLowerCase(Locale.ROOT);
        return HOP_BY_HOP.contains(lower) || nominated.contains(lower) ? List.of() : headers.getAll(name);
    }

    private Optional<Outcome> copyHeaders(
            HttpHeaders from,
            HttpHeaders to,
            Set<String> nominated,
            List<SetHeader> set,
            Host host,
            List<Credential> credentials,
            Decision decision) {
        var platform = decision instanceof Decision.Gateway;
        // Over TLS a credential travels to port 443 only; in clear it is refused on every port.
        var swap = host instanceof HostName name && (connection.port() == 443 || !isTls())
                ? new HeaderSwap(credentials, name)
                : new HeaderSwap(List.of(), new HostName("address.invalid"));
        for (var header : from) {
            var name = header.getKey().toLowerCase(Locale.ROOT);
            var dropped = HOP_BY_HOP.contains(name)
                    || nominated.contains(name)
                    || (platform && (PLATFORM_HEADERS.contains(name) || name.startsWith("x-forwarded-")));
            if (!dropped) {
                to.add(header.getKey(), swap.swap(header.getKey(), header.getValue()));
            }
        }
        set.forEach(header -> to.set(header.name(), swap.swap(header.name(), header.value())));
        connection.credentials(isTls() ? swap.used() : Set.of(), swap.misdirected());
        if (!isTls() && !(swap.used().isEmpty() && swap.unavailable().isEmpty())) {
            return Optional.of(refuse(403, Reason.CREDENTIAL_IN_CLEAR, host.value(), decision.rule()));
        }
        return swap.unavailable().isEmpty()
                ? Optional.empty()
                : Optional.of(refuse(503, Reason.CREDENTIAL_UNAVAILABLE, host.value(), decision.rule()));
    }

    private Route route(Host host, Decision decision) {
        if (decision instanceof Decision.Gateway) {
            return new Route.Platform();
        }
        return serverName
                .<Route>map(name -> new Route.Verified(name, connection.port()))
                .orElseGet(() -> new Route.Plain(host, connection.port()));
    }

    private static boolean isWebSocket(HttpRequest request, Set<String> nominated) {
        return nominated.contains("upgrade")
                && request.method().name().equals("GET")
                && "websocket".equalsIgnoreCase(request.headers().get(HttpHeaderNames.UPGRADE));
    }

    /** Whether the client says, as RFC 9110 section 6.5.1 wants it, that it takes trailers. */
    static boolean wantsTrailers(HttpRequest request) {
        return nominated(request.headers()).contains("te")
                && request.headers().containsValue(HttpHeaderNames.TE, HttpHeaderValues.TRAILERS, true);
    }

    /** Header names that the client says are for this hop only. */
    private static Set<String> nominated(HttpHeaders headers) {
        var names = new HashSet<String>();
        for (var value : headers.getAll(HttpHeaderNames.CONNECTION)) {
            for (var name : value.split(",", -1)) {
                names.add(name.strip().toLowerCase(Locale.ROOT));
            }
        }
        return names;
    }

    private static Outcome refuse(int status, Reason reason, String host, String rule) {
        return new Outcome.Refuse(status, reason, host, rule);
    }
}
