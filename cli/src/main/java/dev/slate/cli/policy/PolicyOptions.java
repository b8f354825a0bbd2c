package dev.slate.cli.policy;

import dev.slate.sdk.NetworkPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options that describe a network policy. */
public final class PolicyOptions {

    @Option(names = "--host", paramLabel = "HOST", description = "Allow only this host, and others given so.")
    private List<String> hosts = new ArrayList<>();

    @Option(names = "--no-network", description = "Allow no host at all.")
    private boolean noNetwork;

    @Option(names = "--open", description = "Allow the public internet.")
    private boolean open;

    @Option(
            names = "--route",
            paramLabel = "CIDR[:PORTS]",
            description = "Allow addresses, also private ones: 10.1.0.0/16:5432,8000-8100.")
    private List<String> routes = new ArrayList<>();

    @Option(names = "--deny", paramLabel = "CIDR", description = "Never allow these addresses.")
    private List<String> denied = new ArrayList<>();

    @Option(names = "--observe", description = "Only note what would be refused, and let it through.")
    private boolean observe;

    @Option(names = "--policy", paramLabel = "FILE", description = "A policy as JSON, - for standard input.")
    private Optional<Path> file = Optional.empty();

    /** The policy that the options describe; empty if there are none. */
    public Optional<NetworkPolicy> policy() {
        var described = noNetwork || open || observe || !hosts.isEmpty() || !routes.isEmpty() || !denied.isEmpty();
        if (file.isPresent()) {
            if (described) {
                throw new IllegalArgumentException("--policy: together with other parts of a policy (expected: alone)");
            }
            return Optional.of(read(file.get()));
        }
        if (noNetwork && (open || !hosts.isEmpty() || !routes.isEmpty())) {
            throw new IllegalArgumentException(
                    "--no-network: together with --host, --route or --open (expected: one of them)");
        }
        if (open && !hosts.isEmpty()) {
            throw new IllegalArgumentException("--open: together with --host (expected: one of the two)");
        }
        if (!described) {
            return Optional.empty();
        }
        var onlyDenied = hosts.isEmpty() && routes.isEmpty() && !noNetwork;
        var policy =
                open || (onlyDenied && !denied.isEmpty()) ? NetworkPolicy.open() : NetworkPolicy.allowedHosts(hosts);
        for (var route : routes) {
            policy = policy.route(route);
        }
        for (var range : denied) {
            policy = policy.deny(range);
        }
        return Optional.of(observe ? policy.observing() : policy);
    }

    /** A policy in a file, or with {@code -} on standard input. */
    static NetworkPolicy read(Path file) {
        try {
            return NetworkPolicy.fromJson(
                    file.equals(Path.of("-"))
                            ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                            : Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
