package dev.slate.egress.policy;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** All sandboxes at one moment. Every connection and every request is decided on exactly one. */
public record Snapshot(Map<String, Sandbox> byId, Map<Inet4Address, Sandbox> bySource) {

    /** Before anything is known: everybody is denied. */
    public static final Snapshot EMPTY = new Snapshot(Map.of(), Map.of());

    public Snapshot {
        byId = Map.copyOf(byId);
        bySource = Map.copyOf(bySource);
    }

    /** The sandbox whose own address this is. */
    public Optional<Sandbox> from(InetAddress source) {
        return source instanceof Inet4Address v4 ? Optional.ofNullable(bySource.get(v4)) : Optional.empty();
    }

    /** The sandbox with this id. */
    public Optional<Sandbox> find(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    /** All sandboxes. */
    public Collection<Sandbox> sandboxes() {
        return byId.values();
    }

    /**
     * This snapshot with one sandbox added or replaced.
     *
     * @throws IllegalStateException if it is older than what is in force, or another sandbox has its address
     */
    public Snapshot with(Sandbox sandbox) {
        var old = byId.get(sandbox.id());
        if (old != null && old.generation() > sandbox.generation()) {
            throw new IllegalStateException("generation: " + sandbox.generation() + " of sandbox " + sandbox.id()
                    + " (expected: at least " + old.generation() + ")");
        }
        var holder = bySource.get(sandbox.source());
        if (holder != null && !holder.id().equals(sandbox.id())) {
            throw new IllegalStateException(
                    "source address: " + sandbox.source().getHostAddress() + " of sandbox " + sandbox.id()
                            + " (expected: an address that sandbox " + holder.id() + " does not have)");
        }
        return changed(old, sandbox);
    }

    /** This snapshot without one sandbox. */
    public Snapshot without(String id) {
        var old = byId.get(id);
        return old == null ? this : changed(old, null);
    }

    private Snapshot changed(@Nullable Sandbox old, @Nullable Sandbox added) {
        var ids = new HashMap<>(byId);
        var sources = new HashMap<>(bySource);
        if (old != null) {
            ids.remove(old.id());
            sources.remove(old.source());
        }
        if (added != null) {
            ids.put(added.id(), added);
            sources.put(added.source(), added);
        }
        return new Snapshot(ids, sources);
    }
}
