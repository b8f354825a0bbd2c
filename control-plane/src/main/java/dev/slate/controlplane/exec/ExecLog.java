package dev.slate.controlplane.exec;

import dev.slate.controlplane.agent.ExecEvent;
import dev.slate.controlplane.agent.ExecStream;

/** The log of a command as a client gets it. */
sealed interface ExecLog {
    /** The command runs since just now. */
    record Started(ExecStream stream) implements ExecLog {}

    /** The sandbox keeps it. */
    record Attached(ExecStream stream) implements ExecLog {}

    /** It is not kept any more, and the record has the end. */
    record Gone(ExecEvent.Terminal end) implements ExecLog {}
}
