package dev.slate.egress.proxy;

import dev.slate.egress.audit.AuditLog;
import dev.slate.egress.dns.SyntheticAddresses;
import dev.slate.egress.policy.Snapshots;
import dev.slate.egress.trust.LeafContexts;
import java.time.Clock;
import java.util.concurrent.Executor;

/** What every connection needs, shared by all of them. {@code background} runs the few things that block. */
public record DataPlane(
        Snapshots snapshots,
        SyntheticAddresses addresses,
        LiveConnections connections,
        Gateway gateway,
        LeafContexts leaves,
        Upstreams upstreams,
        AuditLog audit,
        Clock clock,
        Executor background) {}
