package dev.slate.controlplane.runtime.local;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** How the sandboxes of this machine are connected. */
@ConfigMapping(prefix = "slate.network")
public interface NetworkConfig {
    /** Where the addresses of sandboxes come from; one /30 each. */
    @WithDefault("10.231.0.0/16")
    String subnet();

    /** Where the egress proxy answers DNS on the loopback address. */
    @WithDefault("${slate.egress.dns-port:7053}")
    int dnsPort();

    /** Where the egress proxy takes all other connections on the loopback address. */
    @WithDefault("${slate.egress.port:7081}")
    int proxyPort();

    /** How many networks are kept ready for new sandboxes. */
    @WithDefault("24")
    int warmSlots();

    /** How long an address rests after its sandbox has ended. */
    @WithDefault("60s")
    Duration quarantine();
}
