package dev.slate.cli.platform;

import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Install;
import dev.slate.cli.source.SourceFile;
import dev.slate.sdk.Router;
import dev.slate.sdk.SecretValue;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The model behind the demo, and the gateway key for it. Closing it revokes the key, deletes the secret and ends the
 * offline model.
 */
final class DemoProvider implements AutoCloseable {

    private static final String CONNECTION = "demo";
    private static final String SECRET = "AGENT_GATEWAY_KEY";
    private static final String REAL_MODEL = "openai/gpt-4.1-mini";

    private final Slate slate;
    private final String description;
    private final String model;
    private final Router.CreatedApiKey key;
    private final Optional<Process> offlineModel;

    private DemoProvider(
            Slate slate, String description, String model, Router.CreatedApiKey key, Optional<Process> offlineModel) {
        this.slate = slate;
        this.description = description;
        this.model = model;
        this.key = key;
        this.offlineModel = offlineModel;
    }

    /** A provider of the user's own, if there is one. */
    private record Real(URI baseUrl, String prefix, String key) {}

    static DemoProvider connect(Slate slate, Map<String, String> environment, Optional<URI> baseUrl) {
        var real = real(environment, baseUrl);
        var offlineModel = real.isPresent() ? Optional.<Process>empty() : Optional.of(startOfflineModel());
        try {
            var description = real.isPresent()
                    ? "model provider: " + real.get().baseUrl()
                    : "model provider: none configured, a scripted offline model answers";
            if (real.isPresent()) {
                put(slate, real.get());
            } else {
                slate.router().putConnection(CONNECTION, firstLine(offlineModel.orElseThrow()), "offline/");
            }
            var model = real.isPresent() ? REAL_MODEL : firstModel(slate);
            var key = slate.router().createApiKey("Locked-down agent demo");
            slate.secrets().set(SECRET, key.key());
            return new DemoProvider(slate, description, model, key, offlineModel);
        } catch (RuntimeException e) {
            offlineModel.ifPresent(Process::destroy);
            throw e;
        }
    }

    String description() {
        return description;
    }

    /** One that the gateway lists. */
    String model() {
        return model;
    }

    @Override
    public void close() {
        offlineModel.ifPresent(Process::destroy);
        try {
            slate.router().revokeApiKey(key.apiKey().hash());
            slate.secrets().delete(SECRET);
            slate.router().deleteConnection(CONNECTION);
        } catch (SlateException.NotFound _) {
            // Somebody was faster.
        }
    }

    private static Optional<Real> real(Map<String, String> environment, Optional<URI> baseUrl) {
        var openAi = environment.getOrDefault("OPENAI_API_KEY", "");
        var openRouter = environment.getOrDefault("OPENROUTER_API_KEY", "");
        if (baseUrl.isPresent()) {
            return baseUrl.map(url -> new Real(url, "", openAi.isEmpty() ? openRouter : openAi));
        }
        if (!openAi.isEmpty()) {
            return Optional.of(new Real(URI.create("https://api.openai.com/v1"), "openai/", openAi));
        }
        return openRouter.isEmpty()
                ? Optional.empty()
                : Optional.of(new Real(URI.create("https://openrouter.ai/api/v1"), "", openRouter));
    }

    private static void put(Slate slate, Real real) {
        if (real.key().isEmpty()) {
            slate.router().putConnection(CONNECTION, real.baseUrl(), real.prefix());
        } else {
            slate.router().putConnection(CONNECTION, real.baseUrl(), real.prefix(), SecretValue.of(real.key()));
        }
    }

    private static String firstModel(Slate slate) {
        var models = slate.router().models();
        return models.models().stream()
                .filter(model -> model.connection().equals(CONNECTION))
                .map(Router.Model::id)
                .findFirst()
                .orElseThrow(() -> new CommandFailure("the model provider lists no model " + models.unreachable()));
    }

    /** It ends when its standard input does, so also when this program is killed. */
    private static Process startOfflineModel() {
        var file = new SourceFile(Install.root().resolve("examples/offline-model/OfflineModel.java"));
        try {
            return file.process(Map.of(), List.of())
                    .redirectError(Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the offline model", e);
        }
    }

    /** The base URL is the first line that it prints. */
    private static URI firstLine(Process process) {
        var reader = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        try {
            var line = reader.readLine();
            if (line == null) {
                throw new CommandFailure("the offline model ended while it started");
            }
            return URI.create(line.strip());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read from the offline model", e);
        }
    }
}
