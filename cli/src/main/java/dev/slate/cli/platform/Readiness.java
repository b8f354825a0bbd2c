package dev.slate.cli.platform;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Asks a platform whether it is ready to serve. */
final class Readiness {

    private Readiness() {}

    static boolean isReady(String endpoint) {
        var request = HttpRequest.newBuilder(URI.create(endpoint + "/q/health/ready"))
                .timeout(Duration.ofSeconds(5))
                .build();
        try (var client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(2))
                .build()) {
            return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException _) {
            return false;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
