package dev.slate.egress.proxy;

import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;

/** How a request travels on. Equal routes may share a connection. */
sealed interface Route {

    /** To the host, as plain HTTP. */
    record Plain(Host host, int port) implements Route {}

    /** To the host, over TLS that proves its name. */
    record Verified(HostName host, int port) implements Route {}

    /** To the gateways of the platform. */
    record Platform() implements Route {}
}
