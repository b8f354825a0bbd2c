package dev.slate.cli.platform;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.time.Duration;

/**
 * Asks a platform whether it is ready to serve. It is asked many times a second while it starts, on the same
 * processors: so with the plainest client there is.
 */
final class Readiness {
    private static final int LIMIT_MILLIS = (int) Duration.ofSeconds(5).toMillis();

    private Readiness() {}

    static boolean isReady(String endpoint) {
        try {
            var connection = (HttpURLConnection)
                    URI.create(endpoint + "/q/health/ready").toURL().openConnection(Proxy.NO_PROXY);
            connection.setConnectTimeout(LIMIT_MILLIS);
            connection.setReadTimeout(LIMIT_MILLIS);
            return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException _) {
            return false;
        }
    }
}
