package dev.slate.controlplane.agent;

import java.io.IOException;

/** The agent sent something that the protocol does not allow; its connection must not be used again. */
final class AgentProtocolException extends IOException {
    AgentProtocolException(String message) {
        super(message);
    }
}
