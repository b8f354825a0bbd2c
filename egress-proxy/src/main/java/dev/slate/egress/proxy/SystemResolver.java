package dev.slate.egress.proxy;

import dev.slate.egress.host.HostName;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Asks the resolver of the host, IPv4 addresses first. */
public final class SystemResolver implements Resolver {

    @Override
    public List<InetSocketAddress> resolve(HostName host, int port) throws UnknownHostException {
        return Stream.of(InetAddress.getAllByName(host.value()))
                .sorted(Comparator.comparing((InetAddress address) -> !(address instanceof Inet4Address)))
                .map(address -> new InetSocketAddress(address, port))
                .toList();
    }
}
