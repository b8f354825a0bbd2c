package dev.slate.controlplane.sandbox;

import dev.slate.api.image.v1.BuildEvent;
import dev.slate.controlplane.runtime.SandboxId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox that this process looks after: its value now, what has happened so far, and a way to wait for more. Guards
 * itself.
 */
final class LiveSandbox {
    /** Older progress of a long build is dropped; the outcome is not. */
    private static final int MOST_EVENTS = 5000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ReentrantLock policyLock = new ReentrantLock();
    private final List<Event> events = new ArrayList<>();
    private long dropped;
    private Sandbox current;
    private @Nullable Commands commands;
    private boolean released;

    LiveSandbox(Sandbox sandbox) {
        this.current = sandbox;
        this.events.add(new Event.State(sandbox));
    }

    /** Something that a follower hears about. */
    sealed interface Event {
        record State(Sandbox sandbox) implements Event {}

        record Build(BuildEvent event) implements Event {}
    }

    SandboxId id() {
        return current().id();
    }

    Sandbox current() {
        lock.lock();
        try {
            return current;
        } finally {
            lock.unlock();
        }
    }

    /** Held while a policy is read and put in force, so that an older one never follows a newer one. */
    ReentrantLock policyLock() {
        return policyLock;
    }

    /** Makes a transition that is legal from one kind of state only; otherwise the sandbox is to end. */
    <S extends SandboxState> Sandbox move(Class<S> from, Function<S, SandboxState> transition) {
        lock.lock();
        try {
            if (!from.isInstance(current.state())) {
                throw new EndRequestedException(current);
            }
            return replace(current.in(transition.apply(from.cast(current.state()))));
        } finally {
            lock.unlock();
        }
    }

    /** Lets it end for the reason that was written down; one that has ended stays as it is. */
    void ending(End end) {
        lock.lock();
        try {
            if (current.state() instanceof SandboxState.Live live && !(live instanceof SandboxState.Terminating)) {
                var _ = replace(current.in(live.ending(end)));
            }
        } finally {
            lock.unlock();
        }
    }

    /** It has ended; what became of its volumes is known. */
    void ended(SandboxState.Ended ended, List<MountResult> results) {
        lock.lock();
        try {
            commands = null;
            var _ = replace(current.with(results).in(ended));
        } finally {
            lock.unlock();
        }
    }

    void policy(Sandbox.PolicyInForce policy) {
        lock.lock();
        try {
            if (policy.generation() > current.policy().generation()) {
                var _ = replace(current.with(policy));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Its agent answers. */
    void attach(Commands now) {
        lock.lock();
        try {
            commands = now;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    Optional<Commands> commands() {
        lock.lock();
        try {
            return Optional.ofNullable(commands);
        } finally {
            lock.unlock();
        }
    }

    /** Nothing of it is left. */
    void release() {
        lock.lock();
        try {
            released = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void progress(BuildEvent event) {
        lock.lock();
        try {
            add(new Event.Build(event));
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the condition holds for what is known, at most that long; false when it does not. */
    boolean await(Predicate<LiveSandbox> condition, Duration limit) throws InterruptedException {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (!condition.test(this)) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    boolean hasEnded() {
        return current().state() instanceof SandboxState.Ended;
    }

    boolean isReleased() {
        lock.lock();
        try {
            return released;
        } finally {
            lock.unlock();
        }
    }

    /** The events after the first {@code seen} ones; waits up to the limit for one. */
    Batch after(long seen, Duration limit) throws InterruptedException {
        lock.lock();
        try {
            var _ = await(_ -> dropped + events.size() > seen, limit);
            int from = Math.clamp(seen - dropped, 0, events.size());
            return new Batch(events.subList(from, events.size()), dropped + events.size());
        } finally {
            lock.unlock();
        }
    }

    /** Some events, and how many there were up to the last of them. */
    record Batch(List<Event> events, long seen) {
        Batch {
            events = List.copyOf(events);
        }
    }

    private Sandbox replace(Sandbox next) {
        current = next;
        add(new Event.State(next));
        return next;
    }

    private void add(Event event) {
        if (events.size() == MOST_EVENTS) {
            var _ = events.removeFirst();
            dropped++;
        }
        events.add(event);
        changed.signalAll();
    }
}
