package dev.slate.egress.proxy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The open connections of every sandbox, so that a new policy reaches them too. Thread-safe. */
public final class LiveConnections {

    private static final int MOST_PER_SANDBOX = 512;
    private static final int MOST_HTTP2_PER_SANDBOX = 128;
    private static final Duration CUT_LIMIT = Duration.ofSeconds(5);

    private final Map<String, Set<Connection>> bySandbox = new ConcurrentHashMap<>();
    private final Map<String, HandshakeBudget> handshakes = new ConcurrentHashMap<>();

    /** Adds a connection unless its sandbox has too many. */
    boolean add(String sandbox, Connection connection) {
        var open = bySandbox.computeIfAbsent(sandbox, _ -> ConcurrentHashMap.newKeySet());
        return open.size() < MOST_PER_SANDBOX && open.add(connection);
    }

    void remove(String sandbox, Connection connection) {
        bySandbox.computeIfPresent(sandbox, (_, open) -> {
            open.remove(connection);
            return open.isEmpty() ? null : open;
        });
    }

    boolean mayHttp2(String sandbox) {
        return bySandbox.getOrDefault(sandbox, Set.of()).stream()
                        .filter(Connection::isHttp2)
                        .count()
                < MOST_HTTP2_PER_SANDBOX;
    }

    Duration handshakeDelay(String sandbox) {
        return handshakes.computeIfAbsent(sandbox, _ -> new HandshakeBudget()).next(System.nanoTime());
    }

    /** Forgets what it knows of a sandbox that has ended. */
    public void forget(String sandbox) {
        handshakes.remove(sandbox);
    }

    /** How many connections a sandbox has open. */
    public int count(String sandbox) {
        return bySandbox.getOrDefault(sandbox, Set.of()).size();
    }

    /** Cuts what the snapshot in force no longer allows; returns once it is closed. */
    public void recheck(String sandbox) {
        var cut = List.copyOf(bySandbox.getOrDefault(sandbox, Set.of())).stream()
                .map(Connection::recheck)
                .toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(cut).get(CUT_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while connections of " + sandbox + " were cut", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("connections of " + sandbox + " were not cut in " + CUT_LIMIT, e);
        }
    }
}
