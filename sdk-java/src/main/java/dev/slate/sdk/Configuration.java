package dev.slate.sdk;

import java.net.URI;

/**
 * What a client needs to know about an install.
 *
 * @param platformHost the https name under which sandboxes reach the gateways, for example {@code api.slate.internal}
 */
public record Configuration(URI endpoint, String platformHost, String version) {}
