package dev.slate.common.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** How the platform is known to its sandboxes. */
@ConfigMapping(prefix = "slate.platform")
public interface PlatformConfig {
    /** The https name under which sandboxes reach the gateways; the egress proxy answers for it. */
    @WithDefault("api.slate.internal")
    String host();
}
