package dev.slate.runsc;

import java.time.Duration;

/**
 * How the sandboxes of an installation are connected.
 *
 * @param subnet where their addresses come from
 * @param dnsPort where the proxy answers DNS, UDP and TCP, on 127.0.0.1
 * @param tcpPort where the proxy takes every other TCP connection, on 127.0.0.1 with {@code IP_TRANSPARENT}
 * @param warmSlots how many slots are kept ready
 * @param quarantine how long an address rests after its sandbox has ended
 */
public record NetworkSettings(Subnet subnet, int dnsPort, int tcpPort, int warmSlots, Duration quarantine) {

    public static final Subnet DEFAULT_SUBNET = Subnet.parse("10.231.0.0/16");
    public static final Duration DEFAULT_QUARANTINE = Duration.ofSeconds(60);

    public NetworkSettings {
        if (dnsPort < 1 || dnsPort > 65535 || tcpPort < 1 || tcpPort > 65535) {
            throw new IllegalArgumentException("ports: " + dnsPort + ", " + tcpPort + " (expected: 1 to 65535)");
        }
        if (warmSlots < 0 || warmSlots > subnet.slots() / 2) {
            throw new IllegalArgumentException("warm slots: " + warmSlots + " (expected: 0 to half of the "
                    + subnet.slots() + " in " + subnet + ")");
        }
    }
}
