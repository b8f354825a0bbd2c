package dev.slate.image.registry;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.image.recipe.ImageReference;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;

/** Where the registry of a reference is reached. */
record RegistryEndpoint(URI root) {
    private static final String DOCKER_HUB = "docker.io";
    private static final String DOCKER_HUB_HOST = "registry-1.docker.io";

    /** HTTPS, except for a registry on this host. */
    static RegistryEndpoint of(ImageReference reference) {
        String host = reference.registry().equals(DOCKER_HUB) ? DOCKER_HUB_HOST : reference.registry();
        URI https = URI.create("https://" + host + "/v2/");
        return new RegistryEndpoint(isLoopback(https) ? URI.create("http://" + host + "/v2/") : https);
    }

    URI manifest(ImageReference reference, String version) {
        return root.resolve(reference.repository() + "/manifests/" + version);
    }

    URI blob(ImageReference reference, String digest) {
        return root.resolve(reference.repository() + "/blobs/" + digest);
    }

    /** Refuses addresses that only something inside this host's network should ask, and unprotected ways to others. */
    static URI check(URI target) {
        String scheme = String.valueOf(target.getScheme());
        if (target.getHost() == null || !(scheme.equals("https") || (scheme.equals("http") && isLoopback(target)))) {
            throw refused(target, "https, or http on this host");
        }
        for (InetAddress address : addresses(target)) {
            if (address.isLinkLocalAddress() || address.isMulticastAddress() || address.isAnyLocalAddress()) {
                throw refused(target, "no link-local address");
            }
        }
        return target;
    }

    private static boolean isLoopback(URI target) {
        String host = target.getHost();
        return host != null
                && (host.equals("localhost") || host.matches("127\\.\\d+\\.\\d+\\.\\d+") || host.equals("[::1]"));
    }

    private static InetAddress[] addresses(URI target) {
        try {
            return InetAddress.getAllByName(target.getHost());
        } catch (UnknownHostException e) {
            throw new PlatformException(ErrorCode.UNAVAILABLE, "registry: " + target.getHost() + " has no address", e);
        }
    }

    private static PlatformException refused(URI target, String expected) {
        return PlatformException.invalid("registry", target.getScheme() + "://" + target.getHost(), expected);
    }
}
