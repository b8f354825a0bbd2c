package dev.slate.controlplane.agent;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import java.io.IOException;
import java.time.Duration;

/** Waits for an agent that is just starting. */
final class Readiness {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(20);
    /** Short at first: a SYN that is lost while the network comes up is repeated by the kernel only after a second. */
    private static final Duration FIRST_CONNECT = Duration.ofMillis(50);

    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(1);

    private final AgentCalls calls;

    Readiness(AgentCalls calls) {
        this.calls = calls;
    }

    AgentHealth await(Duration limit) {
        long begin = System.nanoTime();
        Duration pause = FIRST_PAUSE;
        Duration connect = FIRST_CONNECT;
        while (true) {
            Duration left = limit.minusNanos(System.nanoTime() - begin);
            try {
                Duration silence = left.toMillis() < 1 ? FIRST_PAUSE : left;
                return calls.attempt(shorter(connect, silence), silence, AgentClient::health);
            } catch (AgentProtocolException e) {
                throw AgentCalls.unavailable(e);
            } catch (IOException e) {
                if (left.compareTo(pause) <= 0) {
                    throw new PlatformException(
                            ErrorCode.UNAVAILABLE, "the agent did not answer within " + limit.toMillis() + " ms", e);
                }
            }
            sleep(pause);
            pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
            connect = shorter(connect.multipliedBy(2), LONGEST_CONNECT);
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static void sleep(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PlatformException(ErrorCode.CANCELLED, "interrupted while waiting for the agent", e);
        }
    }
}
