package dev.slate.egress.proxy;

import dev.slate.egress.host.HostName;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the real addresses of a name that the policy has already allowed. May block. */
public interface Resolver {

    /** All addresses, in the order in which to try them. */
    List<InetSocketAddress> resolve(HostName host, int port) throws UnknownHostException;
}
