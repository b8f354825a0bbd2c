package dev.slate.egress.control;

import dev.slate.egress.audit.ConnectionRecord;
import dev.slate.egress.policy.Sandbox;
import dev.slate.egress.proxy.DataPlane;
import dev.slate.egress.trust.TrustBundle;
import java.util.List;
import java.util.Optional;

/** Changes what is in force. Everything is true when a method returns, and may be repeated. Thread-safe. */
public final class EgressControl {

    private final DataPlane plane;
    private final TrustBundle trust;

    EgressControl(DataPlane plane, TrustBundle trust) {
        this.plane = plane;
        this.trust = trust;
    }

    /**
     * Puts a policy in force and cuts the connections it no longer allows.
     *
     * @throws IllegalStateException if it is older than the one in force, or its address belongs to another sandbox
     */
    public void put(Sandbox sandbox) {
        plane.snapshots().update(snapshot -> snapshot.with(sandbox));
        plane.connections().recheck(sandbox.id());
    }

    /** Forgets a sandbox and cuts all its connections; its records stay. */
    public void remove(String sandboxId) {
        plane.snapshots().update(snapshot -> snapshot.without(sandboxId));
        plane.connections().recheck(sandboxId);
        plane.connections().forget(sandboxId);
        plane.addresses().remove(sandboxId);
    }

    /** All sandboxes in force. */
    public List<Sandbox> sandboxes() {
        return List.copyOf(plane.snapshots().current().sandboxes());
    }

    /** Records of ended connections with a number above {@code after}, oldest first. */
    public List<ConnectionRecord> connections(String sandboxId, long after, int limit) {
        return plane.audit().list(sandboxId, after, limit);
    }

    /** What is in force for a sandbox, as the data path sees it. */
    Optional<Sandbox> find(String sandboxId) {
        return plane.snapshots().current().find(sandboxId);
    }

    /** Asks the data path what it would decide. */
    AccessTest test() {
        return new AccessTest(plane);
    }

    /** What a sandbox needs to trust the proxy. */
    public TrustBundle trust() {
        return trust;
    }
}
