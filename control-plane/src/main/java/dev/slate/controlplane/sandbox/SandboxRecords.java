package dev.slate.controlplane.sandbox;

import dev.slate.common.grpc.TimeCursor;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.runtime.SandboxId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The durable truth about sandboxes. Each method is one unit of work. Thread-safe. */
interface SandboxRecords {
    /**
     * Writes down that a sandbox should run. The same request gives the sandbox it gave before; another specification
     * under its id is a conflict, and so is a name that a live sandbox has.
     */
    Sandbox create(Sandbox wanted, CreationRequest request);

    Optional<Sandbox> find(SandboxId id);

    /** By id in an environment. */
    Optional<Sandbox> find(String environment, SandboxId id);

    /** The live sandbox with a name. */
    Optional<Sandbox> findLive(String environment, String name);

    /** The sandbox that had a name last, ended or not. */
    Optional<Sandbox> findLatest(String environment, String name);

    /** Newest first. */
    List<Sandbox> list(String environment, boolean ended, TimeCursor after, int limit);

    /** All that have not ended, or of which something is left on a node. */
    List<Sandbox> unreleased();

    /** Writes down that a sandbox should end; the first wish counts and is returned. An ended one stays as it is. */
    Sandbox requestEnd(SandboxId id, End end);

    /** Lets end what is past its time on the database's clock, and says which. */
    List<Sandbox> endExpired();

    /** Replaces the policy of a sandbox that is not asked to end; what was granted beside the old one is over. */
    Sandbox replacePolicy(SandboxId id, NetworkPolicy policy);

    /**
     * Grants one more destination for that long on the database's clock, in place of an earlier grant of the same one.
     */
    Sandbox grant(SandboxId id, String entry, Duration duration, String by);

    /** Ends the grants whose time is over on the database's clock, and says of which sandboxes. */
    List<Sandbox> endGrants();

    void building(SandboxId id);

    /** It runs; its lifetime counts from here. */
    void running(SandboxId id, SandboxState.Running running, Instant expiresAt);

    /** It has ended and its name is free. */
    void ended(SandboxId id, SandboxState.Ended ended, List<MountResult> results);

    /** Nothing of it is left on any node. */
    void released(SandboxId id);

    /** What makes a creation the same as an earlier one. */
    record CreationRequest(String requestId, String specDigest) {}
}
