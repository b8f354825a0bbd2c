package dev.slate.controlplane.router;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Asks the providers of an environment which models they have. Thread-safe. */
@Singleton
class ModelCatalog {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_LIST = 8 * 1024 * 1024;

    private final Connections connections;
    private final Upstream upstream;
    private final RouterConfig config;

    ModelCatalog(Connections connections, Upstream upstream, RouterConfig config) {
        this.connections = connections;
        this.upstream = upstream;
        this.config = config;
    }

    /** The models of all connections, asked at the same time; those that do not answer are named with the reason. */
    Listing list(String environment) {
        List<Provider> providers = connections.providers(environment);
        List<Model> models = new ArrayList<>();
        Map<String, String> unreachable = new LinkedHashMap<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Map<Provider, Future<List<Model>>> answers = new LinkedHashMap<>();
            providers.forEach(provider -> answers.put(provider, threads.submit(() -> ask(provider))));
            answers.forEach((provider, answer) -> {
                try {
                    models.addAll(answer.get());
                } catch (ExecutionException failure) {
                    unreachable.put(provider.name(), reason(failure));
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                    unreachable.put(provider.name(), "interrupted");
                }
            });
        }
        models.removeIf(model -> !connections
                .route(environment, model.id())
                .map(route -> route.provider().name().equals(model.connection()))
                .orElse(false));
        return new Listing(models, unreachable);
    }

    private List<Model> ask(Provider provider) throws IOException {
        Upstream.Answer answer = upstream.send(
                provider,
                upstream.request(provider, "/models").GET().build(),
                config.modelsTimeout(),
                new Cancellation());
        byte[] body = answer.readAll(provider, config.modelsTimeout(), config.modelsTimeout(), MAX_LIST);
        if (answer.status() != 200) {
            throw GatewayException.provider(
                    provider.name(), 502, "provider_error", "answered /models with status " + answer.status());
        }
        List<Model> models = new ArrayList<>();
        for (JsonNode entry : JSON.readTree(body).path("data")) {
            if (entry instanceof ObjectNode members && members.path("id").isTextual()) {
                String id =
                        provider.connection().modelPrefix() + members.path("id").asText();
                members.put("id", id).put("object", "model");
                models.add(new Model(id, provider.name(), members));
            }
        }
        return models;
    }

    private static String reason(ExecutionException failure) {
        return failure.getCause() instanceof GatewayException known
                ? String.valueOf(known.getMessage())
                : "its answer is no list of models";
    }

    /** A model as clients name it, its connection, and what the provider tells about it. */
    record Model(String id, String connection, ObjectNode members) {}

    /** What the providers answered. */
    record Listing(List<Model> models, Map<String, String> unreachable) {
        Listing {
            models = List.copyOf(models);
            unreachable = Map.copyOf(unreachable);
        }

        /** The list that OpenAI clients read; if no provider at all answered, the failure. */
        byte[] openAiList() {
            if (models.isEmpty() && !unreachable.isEmpty()) {
                throw GatewayException.noProvider(String.join("; ", unreachable.values()));
            }
            ObjectNode list = JSON.createObjectNode().put("object", "list");
            models.forEach(model -> list.withArray("data").add(model.members()));
            list.withArray("data");
            try {
                return JSON.writeValueAsBytes(list);
            } catch (JsonProcessingException failure) {
                throw new IllegalStateException("a list of models is plain data", failure);
            }
        }
    }
}
