package dev.slate.controlplane.identity;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** How long logins last. */
@ConfigMapping(prefix = "slate.identity")
interface IdentityConfig {
    /** How long a token is valid that a service token was exchanged for. */
    @WithDefault("15m")
    Duration accessTokenLifetime();

    /** How long the owner's token in {@code <home>/owner-token} is valid. */
    @WithDefault("24h")
    Duration ownerTokenLifetime();

    /** How often the owner's token is written anew. */
    @WithDefault("4h")
    Duration ownerTokenRenewal();
}
