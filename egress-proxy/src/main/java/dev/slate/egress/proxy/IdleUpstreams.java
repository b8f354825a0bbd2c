package dev.slate.egress.proxy;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Connections to hosts whose client went away, kept for the next client of the same sandbox under the same policy. Each
 * has one user at a time. Every event loop has its own; methods are for that loop's thread.
 */
final class IdleUpstreams {

    /** Shorter than most servers wait. */
    private static final int SECONDS = 30;

    private static final int MOST_PER_SANDBOX = 32;

    /** Whose connection it is and where it leads. A new generation of the policy starts with none. */
    record Key(String sandbox, long generation, Route route, boolean http2) {}

    private record Idle(Key key, Channel channel, ScheduledFuture<?> expiry) {}

    private final Map<EventLoop, Map<String, Deque<Idle>>> loops = new ConcurrentHashMap<>();

    /** The connection that became idle last. */
    Optional<Channel> take(EventLoop loop, Key key) {
        var idle = loops.getOrDefault(loop, Map.of()).getOrDefault(key.sandbox, new ArrayDeque<>());
        for (var entry : idle) {
            if (entry.key.equals(key) && Http2.isUsable(entry.channel)) {
                remove(loop, entry);
                return Optional.of(entry.channel);
            }
        }
        return Optional.empty();
    }

    /** Keeps a connection for a while, or closes it if there are many. It must be ready for the next request. */
    void keep(EventLoop loop, Key key, Channel channel) {
        var idle =
                loops.computeIfAbsent(loop, _ -> new HashMap<>()).computeIfAbsent(key.sandbox, _ -> new ArrayDeque<>());
        if (idle.size() >= MOST_PER_SANDBOX) {
            var _ = channel.close();
            return;
        }
        var expiry = loop.schedule(
                () -> {
                    var _ = channel.close();
                },
                SECONDS,
                TimeUnit.SECONDS);
        var entry = new Idle(key, channel, expiry);
        idle.addFirst(entry);
        channel.config().setAutoRead(true);
        channel.closeFuture().addListener(_ -> remove(loop, entry));
    }

    private void remove(EventLoop loop, Idle entry) {
        entry.expiry.cancel(false);
        var sandboxes = loops.getOrDefault(loop, Map.of());
        var idle = sandboxes.get(entry.key.sandbox);
        if (idle != null && idle.remove(entry) && idle.isEmpty()) {
            sandboxes.remove(entry.key.sandbox);
        }
    }
}
