package dev.slate.controlplane.agent;

import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.agent.ExecEvent.Dropped;
import dev.slate.controlplane.agent.ExecEvent.Exited;
import dev.slate.controlplane.agent.ExecEvent.Failed;
import dev.slate.controlplane.agent.ExecEvent.Lost;
import dev.slate.controlplane.agent.ExecEvent.Signaled;
import dev.slate.controlplane.agent.ExecEvent.Started;
import dev.slate.controlplane.agent.ExecEvent.Stderr;
import dev.slate.controlplane.agent.ExecEvent.Stdout;
import dev.slate.controlplane.agent.ExecEvent.Terminal;
import dev.slate.controlplane.agent.ExecEvent.TimedOut;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of one exec, in order and without holes. A broken connection is attached again where it broke; if that
 * fails the stream ends with {@link Lost}. Confined to one thread, except {@link #close}, which detaches and leaves the
 * command running.
 */
public final class ExecStream implements AutoCloseable {
    /** The agent sends a heartbeat every second. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    /** An agent that has said nothing for so long, although it was asked again, is lost. */
    private static final Duration LOST_AFTER = Duration.ofMillis(4500);

    private static final Duration LEAST_WAIT = Duration.ofMillis(100);

    private final ConnectionPool pool;
    private final Duration connectLimit;
    private final String execId;
    private long next;
    private boolean ended;
    private @Nullable ExecEvent first;
    private volatile @Nullable AgentConnection connection;
    private volatile boolean detached;

    private ExecStream(ConnectionPool pool, Duration connectLimit, String execId, long next) {
        this.pool = pool;
        this.connectLimit = connectLimit;
        this.execId = execId;
        this.next = next;
    }

    /** Sends a request that is answered with events; a refusal is thrown, as is a connection that cannot be opened. */
    static ExecStream open(ConnectionPool pool, Duration connectLimit, String execId, long from, byte[] request)
            throws IOException {
        ExecStream stream = new ExecStream(pool, connectLimit, execId, from);
        stream.use(pool.take(connectLimit));
        try {
            stream.first = stream.receive(request);
        } catch (PlatformException refused) {
            stream.finish();
            throw refused;
        }
        return stream;
    }

    static byte[] attachRequest(String execId, long from) {
        return new FrameBuilder(FrameType.ATTACH).text(execId).u64(from).build();
    }

    /** Waits for the next event; empty after the terminal one. */
    public Optional<ExecEvent> next() {
        ExecEvent event = first;
        if (event == null) {
            if (ended) {
                return Optional.empty();
            }
            try {
                event = receive(new byte[0]);
            } catch (PlatformException refused) {
                event = lost(String.valueOf(refused.getMessage()));
            }
        }
        first = null;
        return Optional.of(event);
    }

    /** Passes every event to the consumer and returns the terminal one. */
    public Terminal forEach(Consumer<? super ExecEvent> consumer) {
        while (true) {
            ExecEvent event = next().orElseThrow(() -> new IllegalStateException("the exec has ended: " + execId));
            consumer.accept(event);
            if (event instanceof Terminal terminal) {
                return terminal;
            }
        }
    }

    /** Detaches; the command runs on and can be attached again. */
    @Override
    public void close() {
        detached = true;
        AgentConnection current = connection;
        if (current != null) {
            pool.discard(current);
        }
    }

    private ExecEvent receive(byte[] request) {
        byte[] unsent = request;
        boolean isRetry = false;
        long heard = System.nanoTime();
        while (true) {
            try {
                AgentConnection current = connection;
                if (current == null) {
                    throw new IOException("detached");
                }
                current.waitAtMost(isRetry ? left(heard) : SILENCE);
                if (unsent.length > 0) {
                    current.send(unsent);
                    unsent = new byte[0];
                }
                Frame frame = current.receive();
                if (frame.type() == FrameType.HEARTBEAT) {
                    frame.end();
                    isRetry = false;
                    heard = System.nanoTime();
                    continue;
                }
                return checked(decode(frame));
            } catch (AgentProtocolException e) {
                return lost(String.valueOf(e.getMessage()));
            } catch (IOException broken) {
                if (isRetry || detached) {
                    return lost(broken);
                }
                isRetry = true;
                unsent = attachRequest(execId, next);
                try {
                    drop();
                    use(pool.connect(shorter(connectLimit, left(heard))));
                } catch (IOException unreachable) {
                    return lost(unreachable);
                }
            }
        }
    }

    private ExecEvent checked(ExecEvent event) throws AgentProtocolException {
        long begin = event instanceof Dropped dropped ? dropped.first() : event.sequence();
        if (begin != next || event.sequence() < begin || event.sequence() == Long.MAX_VALUE) {
            throw new AgentProtocolException("event " + begin + " (expected: " + next + ")");
        }
        next = event.sequence() + 1;
        AgentConnection current = connection;
        if (event instanceof Terminal && current != null) {
            current.markComplete();
            finish();
        }
        return event;
    }

    private static ExecEvent decode(Frame frame) throws AgentProtocolException {
        long sequence = frame.u64();
        ExecEvent event = switch (frame.type()) {
            case FrameType.STARTED -> new Started(sequence, frame.u32());
            case FrameType.STDOUT -> new Stdout(sequence, frame.rest());
            case FrameType.STDERR -> new Stderr(sequence, frame.rest());
            case FrameType.DROPPED -> new Dropped(sequence, frame.u64(), frame.u64());
            case FrameType.EXITED -> new Exited(sequence, frame.u8());
            case FrameType.SIGNALED -> new Signaled(sequence, frame.u8());
            case FrameType.TIMED_OUT -> new TimedOut(sequence);
            case FrameType.FAILED ->
                new Failed(sequence, frame.u8(), frame.u32(), AgentConnection.printable(frame.text()));
            default -> throw frame.unexpected();
        };
        frame.end();
        return event;
    }

    private static Duration left(long heard) {
        Duration left = LOST_AFTER.minusNanos(System.nanoTime() - heard);
        return left.compareTo(LEAST_WAIT) < 0 ? LEAST_WAIT : left;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private Lost lost(IOException cause) {
        return lost(
                cause instanceof SocketTimeoutException
                        ? Lost.SILENT
                        : "the agent cannot be reached: " + cause.getMessage());
    }

    private Lost lost(String reason) {
        ended = true;
        drop();
        return new Lost(next, reason);
    }

    private void finish() {
        ended = true;
        AgentConnection current = connection;
        connection = null;
        if (current != null && !detached) {
            pool.release(current);
        }
    }

    private void drop() {
        AgentConnection current = connection;
        connection = null;
        if (current != null) {
            pool.discard(current);
        }
    }

    private void use(AgentConnection fresh) {
        connection = fresh;
        if (detached) {
            drop();
        }
    }
}
