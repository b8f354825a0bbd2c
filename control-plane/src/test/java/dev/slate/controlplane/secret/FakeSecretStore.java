package dev.slate.controlplane.secret;

import dev.slate.common.grpc.PageRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** Keeps envelopes in memory. */
final class FakeSecretStore implements SecretStore {
    private final ConcurrentSkipListMap<String, Sealed> secrets = new ConcurrentSkipListMap<>();

    @Override
    public Secret put(String environment, SecretName name, byte[] envelope, Instant now) {
        Instant created =
                find(environment, name).map(found -> found.secret().createdAt()).orElse(now);
        Secret secret = new Secret(name, created, now);
        secrets.put(key(environment, name.value()), new Sealed(secret, envelope));
        return secret;
    }

    @Override
    public Optional<Sealed> find(String environment, SecretName name) {
        return Optional.ofNullable(secrets.get(key(environment, name.value())));
    }

    @Override
    public List<Secret> list(String environment, PageRequest page) {
        return secrets.tailMap(key(environment, page.after()), false).entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(environment + "/"))
                .limit(page.fetch())
                .map(entry -> entry.getValue().secret())
                .toList();
    }

    @Override
    public boolean delete(String environment, SecretName name) {
        return secrets.remove(key(environment, name.value())) != null;
    }

    private static String key(String environment, String name) {
        return environment + "/" + name;
    }
}
