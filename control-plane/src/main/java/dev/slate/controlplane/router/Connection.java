package dev.slate.controlplane.router;

import dev.slate.common.error.PlatformException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.regex.Pattern;

/** A provider behind the gateway; its models are called prefix + their name at the provider. */
record Connection(String name, URI baseUrl, String modelPrefix) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,40}");
    private static final Pattern PREFIX = Pattern.compile("[\\x21-\\x7e]{0,100}");
    private static final String URL_EXPECTED = "an http or https URL such as https://api.openai.com/v1";

    Connection {
        if (!NAME.matcher(name).matches()) {
            throw PlatformException.invalid("name", name, "1 to 40 of a-z, 0-9 and -");
        }
        if (!PREFIX.matcher(modelPrefix).matches()) {
            throw PlatformException.invalid("model_prefix", modelPrefix, "at most 100 visible ASCII characters");
        }
    }

    /** Checks what a user typed; a slash at the end of the URL does not count. */
    static Connection parse(String name, String baseUrl, String modelPrefix) {
        try {
            URI url = new URI(baseUrl.replaceAll("/+$", "")).normalize();
            boolean web = "https".equalsIgnoreCase(url.getScheme()) || "http".equalsIgnoreCase(url.getScheme());
            // The URL goes into no message beyond this check: it may hold a password.
            if (!web || url.getHost() == null) {
                throw PlatformException.invalid("base_url", baseUrl, URL_EXPECTED);
            }
            if (url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null) {
                throw PlatformException.invalid(
                        "base_url", "has a user, a query or a fragment", URL_EXPECTED + " and no more");
            }
            return new Connection(name, url, modelPrefix);
        } catch (URISyntaxException malformed) {
            throw PlatformException.invalid("base_url", malformed.getReason(), URL_EXPECTED);
        }
    }

    /** Scheme, host and port: where the key of this connection may be sent. */
    String origin() {
        String scheme = baseUrl.getScheme().toLowerCase(java.util.Locale.ROOT);
        int port = baseUrl.getPort() >= 0 ? baseUrl.getPort() : scheme.equals("https") ? 443 : 80;
        return scheme + "://" + baseUrl.getHost().toLowerCase(java.util.Locale.ROOT) + ":" + port;
    }

    /** The provider's name of a model that clients call by the given name, if it could be one of this connection. */
    Optional<String> upstreamName(String model) {
        boolean matches = model.startsWith(modelPrefix) && model.length() > modelPrefix.length();
        return matches ? Optional.of(model.substring(modelPrefix.length())) : Optional.empty();
    }
}
