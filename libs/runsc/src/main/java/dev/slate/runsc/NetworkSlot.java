package dev.slate.runsc;

import java.net.Inet4Address;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * A network namespace with one link to the host, ready for one sandbox.
 *
 * <p>The number decides all the rest, so it is all that has to be recorded.
 */
public record NetworkSlot(
        int number, String interfaceName, Inet4Address hostAddress, Inet4Address sandboxAddress, String namespace) {

    private static final Path NAMESPACES = Path.of("/run/netns");

    static NetworkSlot of(int number, HostLayout layout, Subnet subnet) {
        String suffix = HexFormat.of().toHexDigits((short) number);
        return new NetworkSlot(
                number,
                layout.interfacePrefix() + suffix,
                subnet.hostAddress(number),
                subnet.sandboxAddress(number),
                layout.namespacePrefix() + suffix);
    }

    /** For the spec of the container that takes the slot. */
    public ContainerNetwork containerNetwork() {
        return new ContainerNetwork.Namespace(NAMESPACES.resolve(namespace));
    }
}
