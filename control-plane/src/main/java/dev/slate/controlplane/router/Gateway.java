package dev.slate.controlplane.router;

import jakarta.inject.Singleton;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/** What the gateway does for a client with a key: list models, and pass calls on to their providers. Thread-safe. */
@Singleton
class Gateway {
    private static final Logger LOG = Logger.getLogger(Gateway.class);
    private static final String BEARER = "Bearer ";
    private static final List<String> PASSED_HEADERS = List.of("accept", "idempotency-key");

    private final GatewayKeys keys;
    private final Connections connections;
    private final ModelCatalog models;
    private final Upstream upstream;
    private final RouterConfig config;

    Gateway(GatewayKeys keys, Connections connections, ModelCatalog models, Upstream upstream, RouterConfig config) {
        this.keys = keys;
        this.connections = connections;
        this.models = models;
        this.upstream = upstream;
        this.config = config;
    }

    /** Runs one exchange to its end, whatever happens, and logs it. */
    void run(Exchange exchange, Consumer<Exchange> work) {
        try {
            try {
                work.accept(exchange);
            } catch (GatewayException refused) {
                exchange.ended(refused.status(), refused.code());
                exchange.refuse(refused);
            } catch (ClientGoneException gone) {
                throw gone;
            } catch (RuntimeException unexpected) {
                LOG.errorf(unexpected, "internal error requestId=%s", exchange.requestId());
                exchange.ended(500, "internal_error");
                failInternally(exchange, unexpected);
            }
        } catch (ClientGoneException _) {
            exchange.ended(499, "client_gone");
        }
        LOG.info(exchange.describe());
    }

    /** Lists the models that the key may call. */
    void listModels(Exchange exchange) {
        GatewayKey key = authenticate(exchange);
        exchange.client().dropBody();
        byte[] list = models.list(key.environment()).openAiList();
        exchange.client().send(200, exchange.headers("application/json"), list);
        exchange.ended(200, "completed");
    }

    /** Passes a call on to the provider of its model. */
    void call(Exchange exchange, String path) {
        GatewayKey key = authenticate(exchange);
        ModelRequest request = ModelRequest.parse(
                exchange.client().readBody(config.maxRequestBody().asLongValue()));
        exchange.asksFor(request.model());
        Connections.Route route = connections
                .route(key.environment(), request.model())
                .orElseThrow(() -> GatewayException.unknownModel(request.model()));
        Provider provider = route.provider();
        exchange.goesTo(provider);
        HttpRequest.Builder call = upstream.request(provider, path)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(request.withModel(route.upstreamModel())));
        PASSED_HEADERS.forEach(name -> exchange.client()
                .header(name)
                .filter(value -> value.chars().allMatch(c -> c >= 0x20 && c < 0x7f))
                .ifPresent(value -> call.header(name, value)));
        Upstream.Answer answer =
                upstream.send(provider, call.build(), config.firstByteTimeout(), exchange.cancellation());
        new Relay(exchange, provider, answer, config).run();
    }

    private GatewayKey authenticate(Exchange exchange) {
        Optional<String> presented = exchange.client()
                .header("authorization")
                .filter(header -> header.regionMatches(true, 0, BEARER, 0, BEARER.length()))
                .map(header -> header.substring(BEARER.length()).strip());
        GatewayKey key = presented.flatMap(keys::authenticate).orElseThrow(GatewayException::noKey);
        exchange.calledWith(key);
        String environment = exchange.client().header("x-slate-env-id").orElse("");
        if (!environment.isEmpty() && !environment.equals(key.environment())) {
            throw GatewayException.wrongEnvironment();
        }
        return key;
    }

    private static void failInternally(Exchange exchange, RuntimeException cause) {
        if (exchange.client().started()) {
            exchange.client().breakOff();
        } else {
            exchange.refuse(GatewayException.internal(exchange.requestId(), cause));
        }
    }
}
