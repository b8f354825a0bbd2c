package dev.slate.egress.control;

import dev.slate.egress.audit.AuditLog;
import dev.slate.egress.dns.DnsAnswers;
import dev.slate.egress.dns.DnsServer;
import dev.slate.egress.dns.SyntheticAddresses;
import dev.slate.egress.policy.AddressGuard;
import dev.slate.egress.policy.Snapshots;
import dev.slate.egress.proxy.DataPlane;
import dev.slate.egress.proxy.Gateway;
import dev.slate.egress.proxy.LiveConnections;
import dev.slate.egress.proxy.Resolver;
import dev.slate.egress.proxy.Upstreams;
import dev.slate.egress.trust.LeafContexts;
import dev.slate.egress.trust.PlatformAuthority;
import dev.slate.egress.trust.TrustBundle;
import dev.slate.egress.trust.UpstreamTrust;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The whole proxy, wired by hand. State is in one folder: the authority, the trust files for sandboxes and the
 * connection records.
 */
public final class EgressProxy implements AutoCloseable {

    /** Name look-ups and signatures. Look-ups wait for name servers elsewhere, so many may be under way. */
    private static final int BACKGROUND_THREADS = 64;

    /** How many may wait for a thread; beyond that connections are refused. */
    private static final int BACKGROUND_QUEUE = 4096;

    private final EventLoopGroup loops = new EpollEventLoopGroup(0, new DefaultThreadFactory("egress", true));
    private final ExecutorService background = new ThreadPoolExecutor(
            BACKGROUND_THREADS,
            BACKGROUND_THREADS,
            60,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(BACKGROUND_QUEUE),
            new DefaultThreadFactory("egress-background", true));
    private final DataPlane plane;
    private final EgressControl control;

    /** What a proxy is made with. */
    public record Setup(
            Path folder,
            Gateway gateway,
            Optional<Path> extraAuthorities,
            AddressGuard guard,
            Resolver resolver,
            int auditQueue,
            long auditFileBytes) {}

    public EgressProxy(Setup setup, Clock clock, SecureRandom random) {
        var authority = PlatformAuthority.openOrCreate(setup.folder.resolve("ca"), clock, random);
        var trust = UpstreamTrust.load(setup.extraAuthorities);
        var audit = new AuditLog(setup.folder.resolve("audit"), setup.auditQueue, setup.auditFileBytes, clock);
        this.plane = new DataPlane(
                new Snapshots(),
                new SyntheticAddresses(),
                new LiveConnections(),
                setup.gateway,
                new LeafContexts(authority, clock, random),
                new Upstreams(setup.resolver, setup.guard, trust, background),
                audit,
                clock,
                background);
        this.control = new EgressControl(plane, TrustBundle.write(setup.folder.resolve("trust"), authority, trust));
    }

    /** The way to change what is in force. */
    public EgressControl control() {
        return control;
    }

    /** Answers DNS on this address. */
    public DnsServer serveDns(InetSocketAddress address) {
        return new DnsServer(new DnsAnswers(plane.snapshots(), plane.addresses()), loops, address);
    }

    /** What the data path runs on. */
    public DataPlane plane() {
        return plane;
    }

    /** The threads of the data path. */
    public EventLoopGroup loops() {
        return loops;
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        background.shutdownNow();
        plane.audit().close();
    }
}
