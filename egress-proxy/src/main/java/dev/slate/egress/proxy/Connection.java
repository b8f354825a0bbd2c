package dev.slate.egress.proxy;

import dev.slate.egress.audit.ConnectionRecord;
import dev.slate.egress.audit.Printable;
import dev.slate.egress.dns.SyntheticAddresses;
import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;
import dev.slate.egress.host.IpLiteral;
import dev.slate.egress.policy.AddressRules;
import dev.slate.egress.policy.Decision;
import dev.slate.egress.policy.Protocol;
import dev.slate.egress.policy.Reason;
import dev.slate.egress.policy.RequestDecision;
import dev.slate.egress.policy.RequestFacts;
import dev.slate.egress.policy.Sandbox;
import dev.slate.egress.policy.Snapshot;
import io.netty.channel.socket.SocketChannel;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One client connection: which sandbox it is from, where it wants to go, and what the audit will say of it. Confined to
 * the event loop of its channel; only {@link #recheck} comes from other threads and reads one volatile field.
 */
final class Connection {

    private record Target(Host host, int port, Protocol protocol, Decision decision) {}

    private final DataPlane plane;
    private final SocketChannel client;
    private final InetSocketAddress source;
    private final InetSocketAddress destination;
    private final Optional<String> sandboxId;
    private final Instant openedAt;
    private final long openedNanos = System.nanoTime();
    private volatile @Nullable Target target;
    private volatile boolean http2;

    private @Nullable Host aim;
    private int aimPort;
    private boolean tunnel;

    private @Nullable Reason refusal;
    private Optional<Sandbox> decidedFor = Optional.empty();
    private String rule = "";
    private long generation;
    private String claimedHost = "";
    private volatile @Nullable InetSocketAddress resolved;
    private String wouldDeny = "";
    private long bytesUp;
    private long bytesDown;
    private final Set<String> credentials = new LinkedHashSet<>();
    private final Set<String> misdirected = new LinkedHashSet<>();
    private int requests;
    private String lastMethod = "";
    private String lastPath = "";
    private int lastStatus;

    Connection(DataPlane plane, SocketChannel client, InetSocketAddress destination) {
        this.plane = plane;
        this.client = client;
        this.source = client.remoteAddress();
        this.destination = destination;
        this.openedAt = plane.clock().instant();
        this.sandboxId = plane.snapshots().current().from(source.getAddress()).map(Sandbox::id);
    }

    DataPlane plane() {
        return plane;
    }

    SocketChannel client() {
        return client;
    }

    /** Where it wants to go: the port that was dialled, or the one that was named to the explicit proxy. */
    int port() {
        return aim == null ? destination.getPort() : aimPort;
    }

    /** Whether the client dialled the proxy itself, to tell it by CONNECT or by whole URLs where it wants to go. */
    boolean isExplicit() {
        var platform = plane.gateway().name();
        return !tunnel
                && destination.getPort() == Gateway.EXPLICIT_PORT
                && sandboxId.isPresent()
                && plane.addresses().addressOf(sandboxId.get(), platform).equals(destination.getAddress());
    }

    /** The client named a host and port to the explicit proxy; from here on they count instead of the address. */
    void aim(Host host, int port) {
        aim = host;
        aimPort = port;
    }

    /** What was named last holds until the connection ends. */
    void tunnel() {
        tunnel = true;
    }

    /** It speaks HTTP/2 with the client. */
    void http2() {
        http2 = true;
    }

    boolean isHttp2() {
        return http2;
    }

    /** Whether the sandbox may have one more connection of HTTP/2, whose windows take memory. */
    boolean mayHttp2() {
        return sandboxId.map(plane.connections()::mayHttp2).orElse(false);
    }

    /** How long the next TLS handshake of the sandbox has to wait for its turn. */
    Duration handshakeDelay() {
        return sandboxId.map(plane.connections()::handshakeDelay).orElse(Duration.ZERO);
    }

    /** Whose idle connections to hosts it may use. */
    IdleUpstreams.Key idleKey(Route route, boolean overHttp2) {
        var sandbox = sandbox();
        return new IdleUpstreams.Key(
                sandboxId.orElse(""), sandbox.map(Sandbox::generation).orElse(-1L), route, overHttp2);
    }

    InetAddress destinationAddress() {
        return destination.getAddress();
    }

    /** The sandbox as the snapshot of the last decision had it. */
    Optional<Sandbox> decidedFor() {
        return decidedFor;
    }

    /** The sandbox as the snapshot in force has it; empty if it is unknown or another one has its address by now. */
    Optional<Sandbox> sandbox() {
        return sandbox(plane.snapshots().current());
    }

    /** What this sandbox may dial. */
    AddressRules addressRules() {
        return sandbox().map(Sandbox::addressRules).orElse(AddressRules.NONE);
    }

    /** Whether a hello may hide its name behind another one: where all names are let through anyway. */
    boolean permitsHiddenName() {
        var policy = sandbox().map(Sandbox::policy);
        policy.filter(known -> known.observe() && !known.open()).ifPresent(_ -> wouldDeny(Reason.ENCRYPTED_HELLO));
        return policy.filter(known -> known.open() || known.observe()).isPresent();
    }

    /** Decides on a request to the host that was decided on last, by the same snapshot. */
    RequestDecision decide(Host host, RequestFacts request) {
        var decision = decidedFor
                .map(sandbox -> sandbox.decide(host, port(), request))
                .orElseGet(() -> new RequestDecision.Refuse(Reason.UNKNOWN_SOURCE, ""));
        if (decision instanceof RequestDecision.Pass(var _, var byRule, var reason)) {
            rule = byRule;
            reason.ifPresent(this::wouldDeny);
        }
        return decision;
    }

    /** Notes for the audit what the policy would refuse if it did not only observe. */
    void wouldDeny(Reason reason) {
        wouldDeny = reason.code();
    }

    /** Counts it among the live ones and has it recorded when it ends; the answer is whether it may go on. */
    boolean register() {
        client.closeFuture().addListener(_ -> finish());
        if (sandboxId.isEmpty()) {
            return refuse(Reason.UNKNOWN_SOURCE, "");
        }
        return plane.connections().add(sandboxId.get(), this) || refuse(Reason.TOO_MANY_CONNECTIONS, "");
    }

    /** Decides, and makes sure that a policy which changes in the same moment is not missed. */
    @SuppressWarnings("ReferenceEquality") // the very same snapshot must still be in force
    Decision decide(Host host, Protocol protocol) {
        claimedHost = host.value();
        var before = target;
        if (before != null && !before.host.equals(host)) {
            // What was dialled for the host before says nothing about this one.
            resolved = null;
        }
        while (true) {
            var snapshot = plane.snapshots().current();
            var decision = decide(snapshot, host, port(), protocol);
            target = new Target(host, port(), protocol, decision);
            if (snapshot == plane.snapshots().current()) {
                rule = decision.rule();
                decision.wouldDeny().ifPresent(this::wouldDeny);
                decidedFor = sandbox(snapshot);
                generation = decidedFor.map(Sandbox::generation).orElse(0L);
                return decision;
            }
        }
    }

    /**
     * The address a client dialled must be the one handed out for the name it asks for. A real address is fine only for
     * a connection to this very address, or where the policy is open and the name alone decides anyway.
     */
    boolean addressFits(Host host) {
        if (aim != null) {
            return aim.equals(host);
        }
        var address = destination.getAddress();
        if (SyntheticAddresses.isSynthetic(address)) {
            return host instanceof HostName name
                    && sandboxId.isPresent()
                    && plane.addresses().addressOf(sandboxId.get(), name).equals(address);
        }
        return switch (host) {
            case IpLiteral(var literal) -> literal.equals(address);
            case HostName _ ->
                sandbox()
                        .map(Sandbox::policy)
                        .filter(policy -> policy.isByNameAlone(host, port()))
                        .isPresent();
        };
    }

    /** What the address alone says about the host: the name it was handed out for, or itself. */
    Optional<Host> hostByAddress() {
        if (aim != null) {
            return Optional.of(aim);
        }
        var address = destination.getAddress();
        if (SyntheticAddresses.isSynthetic(address)) {
            return sandboxId
                    .flatMap(id -> plane.addresses().nameOf(id, address))
                    .map(Host.class::cast);
        }
        return address instanceof Inet4Address v4 ? Optional.of(new IpLiteral(v4)) : Optional.empty();
    }

    /** Called from control threads after a new snapshot: cuts the connection unless it would be treated the same. */
    CompletableFuture<Void> recheck() {
        var known = target;
        var snapshot = plane.snapshots().current();
        if (sandbox(snapshot).isEmpty()) {
            return cut(Reason.SANDBOX_REMOVED);
        }
        if (known == null) {
            return CompletableFuture.completedFuture(null);
        }
        var now = decide(snapshot, known.host, known.port, known.protocol);
        var same = isCarriedOut(known.decision, now) && (isPlatform(now) || permitsAddress(snapshot, known));
        return same || known.decision instanceof Decision.Deny
                ? CompletableFuture.completedFuture(null)
                : cut(Reason.POLICY_CHANGED);
    }

    /** Notes the refusal for the audit and returns false, so that callers can stop right there. */
    boolean refuse(Reason reason, String byRule) {
        if (refusal == null) {
            refusal = reason;
            if (!byRule.isEmpty()) {
                rule = byRule;
            }
        }
        return false;
    }

    /** Refuses and closes with a TCP reset. */
    void reset(Reason reason, String byRule) {
        refuse(reason, byRule);
        Resets.reset(client);
    }

    void claimed(String host) {
        claimedHost = host;
    }

    /** Notes what was dialled; false if the policy changed meanwhile, and with it whether the address may be used. */
    boolean resolved(InetSocketAddress address) {
        resolved = address;
        return recheck().isDone();
    }

    void countUp(long bytes) {
        bytesUp += bytes;
    }

    void countDown(long bytes) {
        bytesDown += bytes;
    }

    void request(String method, String target) {
        requests++;
        lastMethod = method;
        var query = target.indexOf('?');
        lastPath = query < 0 ? target : target.substring(0, query);
        lastStatus = 0;
    }

    int requests() {
        return requests;
    }

    void status(int status) {
        lastStatus = status;
    }

    void credentials(Set<String> used, Set<String> sentElsewhere) {
        credentials.addAll(used);
        misdirected.addAll(sentElsewhere);
    }

    private Optional<Sandbox> sandbox(Snapshot snapshot) {
        return snapshot.from(source.getAddress()).filter(sandbox -> sandboxId.equals(Optional.of(sandbox.id())));
    }

    private Decision decide(Snapshot snapshot, Host host, int port, Protocol protocol) {
        return sandbox(snapshot)
                .map(sandbox ->
                        sandbox.decide(host, port, protocol, plane.gateway().name()))
                .orElseGet(() -> new Decision.Deny(Reason.UNKNOWN_SOURCE, ""));
    }

    private CompletableFuture<Void> cut(Reason reason) {
        var closed = new CompletableFuture<Void>();
        client.closeFuture().addListener(_ -> closed.complete(null));
        client.eventLoop().execute(() -> reset(reason, ""));
        return closed;
    }

    private void finish() {
        sandboxId.ifPresent(id -> plane.connections().remove(id, this));
        var known = target;
        plane.audit()
                .append(new ConnectionRecord(
                        plane.audit().nextSequence(),
                        openedAt,
                        Duration.ofNanos(System.nanoTime() - openedNanos),
                        sandboxId.orElse("unknown"),
                        source.getPort(),
                        known == null ? "tcp" : known.protocol.name().toLowerCase(Locale.ROOT),
                        mode(known),
                        Printable.of(claimedHost),
                        port(),
                        refusal == null || !refusal.isDenial() ? "allowed" : "denied",
                        refusal == null ? "" : refusal.code(),
                        Printable.of(rule),
                        generation,
                        address(resolved),
                        bytesUp,
                        bytesDown,
                        credentials.stream().map(Printable::of).toList(),
                        misdirected.stream().map(Printable::of).toList(),
                        requests,
                        Printable.of(lastMethod),
                        Printable.of(lastPath),
                        lastStatus,
                        wouldDeny));
    }

    /** Whether a connection that started under one decision does what another one asks for. */
    private static boolean isCarriedOut(Decision before, Decision now) {
        return now.getClass() == before.getClass()
                // Nothing needs a look inside any more, and each request is decided on anyway.
                || (before instanceof Decision.Terminate && now instanceof Decision.Splice);
    }

    private boolean permitsAddress(Snapshot snapshot, Target known) {
        var address = resolved;
        var rules = sandbox(snapshot).map(Sandbox::addressRules).orElse(AddressRules.NONE);
        return address == null || plane.upstreams().permits(known.host, address, rules);
    }

    private static boolean isPlatform(Decision decision) {
        return decision instanceof Decision.Gateway;
    }

    private static String address(@Nullable InetSocketAddress address) {
        return address == null ? "" : address.getAddress().getHostAddress();
    }

    private static String mode(@Nullable Target target) {
        return switch (target == null ? null : target.decision) {
            case null -> "deny";
            case Decision.Deny _ -> "deny";
            case Decision.Splice _ -> "splice";
            case Decision.Terminate _, Decision.Gateway _ -> "terminate";
        };
    }
}
