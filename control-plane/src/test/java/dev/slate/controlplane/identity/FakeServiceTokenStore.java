package dev.slate.controlplane.identity;

import dev.slate.common.grpc.PageRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;

/** Keeps service tokens in memory. */
final class FakeServiceTokenStore implements ServiceTokenStore {
    private final ConcurrentSkipListMap<String, Stored> tokens = new ConcurrentSkipListMap<>();

    @Override
    public void add(ServiceToken token, String secretHash, String createdBy) {
        tokens.put(token.clientId(), new Stored(token, secretHash));
    }

    @Override
    public Optional<Stored> find(String clientId) {
        return Optional.ofNullable(tokens.get(clientId));
    }

    @Override
    public List<ServiceToken> list(String environment, PageRequest page) {
        return tokens.tailMap(page.after(), false).values().stream()
                .map(Stored::token)
                .filter(token -> token.environment().equals(environment))
                .limit(page.fetch())
                .toList();
    }

    @Override
    public boolean revoke(String environment, String clientId, Instant now) {
        Optional<Stored> found =
                find(clientId).filter(stored -> stored.token().environment().equals(environment));
        found.ifPresent(stored -> {
            ServiceToken token = stored.token();
            ServiceToken revoked = new ServiceToken(
                    token.clientId(), environment, token.description(), token.permissions(), token.createdAt(), true);
            tokens.put(clientId, new Stored(revoked, stored.secretHash()));
        });
        return found.isPresent();
    }

    @Override
    public Set<String> revoked() {
        return tokens.values().stream()
                .map(Stored::token)
                .filter(ServiceToken::revoked)
                .map(ServiceToken::clientId)
                .collect(Collectors.toSet());
    }
}
