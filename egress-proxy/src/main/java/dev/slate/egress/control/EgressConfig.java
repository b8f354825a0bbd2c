package dev.slate.egress.control;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** How the egress proxy runs. */
@ConfigMapping(prefix = "slate.egress")
public interface EgressConfig {
    /** Whether the proxy runs in this process. */
    @WithDefault("true")
    boolean enabled();

    /** Where the proxy listens; the firewall of this host diverts sandboxes to it. */
    @WithDefault("127.0.0.1")
    String listenAddress();

    /** The port for all connections of sandboxes. */
    @WithDefault("7081")
    int port();

    /** The port for DNS, UDP and TCP. */
    @WithDefault("7053")
    int dnsPort();

    /** Host and port of the platform's own HTTP interface, where its gateways are. */
    @WithDefault("127.0.0.1:${quarkus.http.port:7080}")
    String gateway();

    /**
     * Names that may have private addresses, such as a company mirror. Loopback, link-local and metadata addresses stay
     * out of reach for them too.
     */
    Optional<Set<String>> privateHosts();

    /**
     * Ranges that no route of a policy leads to, such as the addresses of sandboxes, nodes and services. The host's own
     * addresses are always among them.
     */
    @WithDefault("${slate.network.subnet:10.231.0.0/16}")
    Set<String> platformRanges();

    /** A PEM file with certificates that the proxy trusts in addition when it connects to hosts. */
    Optional<Path> extraCaFile();

    /** Limits of the connection records. */
    Audit audit();

    /** Limits of the connection records. */
    interface Audit {
        /** How many records may wait for the disk before some are only counted. */
        @WithDefault("10000")
        int queueLength();

        /** How big the file of one sandbox may get; one older file of this size is kept beside it. */
        @WithDefault("16777216")
        long maxFileBytes();
    }
}
