package dev.slate.egress.proxy;

import dev.slate.common.auth.ProxyProof;
import dev.slate.common.secret.SecretValue;
import dev.slate.egress.host.HostName;
import java.net.InetSocketAddress;

/**
 * The platform as sandboxes see it: one name, behind which only the gateways are. {@code proof} proves to them that a
 * request came through this proxy.
 */
public record Gateway(HostName name, InetSocketAddress address, SecretValue proof) {

    /** Where the platform's name takes CONNECT and whole URLs, for clients that want a proxy they know of. */
    static final int EXPLICIT_PORT = 3128;

    static final String SANDBOX_HEADER = ProxyProof.SANDBOX_HEADER;
    static final String PROOF_HEADER = ProxyProof.PROOF_HEADER;
}
