package dev.slate.controlplane.router;

import dev.slate.common.auth.ProxyProof;
import dev.slate.common.id.IdSource;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Serves the gateway at {@code /v1/router}. It sits on the HTTP router itself and not on REST resources, so that every
 * path and failure below it answers in the words of OpenAI clients, and so that a stream can be broken off. Each
 * exchange runs on a virtual thread of its own.
 */
@Singleton
public class GatewayResource {
    private static final String BASE = "/v1/router";
    private static final Pattern SANDBOX_ID = Pattern.compile("[A-Za-z0-9-]{1,64}");

    private final Gateway gateway;
    private final RouterConfig config;
    private final ProxyProof proof;
    private final IdSource ids;

    GatewayResource(Gateway gateway, RouterConfig config, ProxyProof proof, IdSource ids) {
        this.gateway = gateway;
        this.config = config;
        this.proof = proof;
        this.ids = ids;
    }

    void register(@Observes Router router) {
        router.get(BASE + "/models").handler(routing -> start(routing, gateway::listModels));
        for (String path : new String[] {"/chat/completions", "/embeddings"}) {
            router.post(BASE + path).handler(routing -> start(routing, exchange -> gateway.call(exchange, path)));
        }
        router.route(BASE + "/*")
                .handler(routing -> start(routing, _ -> {
                    throw GatewayException.unknownPath(
                            routing.request().method().name(), routing.normalizedPath());
                }));
    }

    private void start(RoutingContext routing, Consumer<Exchange> work) {
        routing.request().pause();
        Cancellation cancellation = new Cancellation();
        Exchange exchange = new Exchange(
                new ClientConnection(routing, config.idleTimeout(), cancellation::cancel),
                cancellation,
                "req_" + ids.hex(12),
                sandboxId(routing.request()));
        Thread.ofVirtual().name("router-exchange").start(() -> gateway.run(exchange, work));
    }

    /** Believed only beside the proof, which also makes the id safe to log. */
    private String sandboxId(HttpServerRequest request) {
        String sandbox = request.getHeader(ProxyProof.SANDBOX_HEADER);
        String presented = request.getHeader(ProxyProof.PROOF_HEADER);
        boolean believed = sandbox != null
                && presented != null
                && proof.matches(presented)
                && SANDBOX_ID.matcher(sandbox).matches();
        return believed ? sandbox : "";
    }
}
