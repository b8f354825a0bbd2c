package dev.slate.runsc;

import java.nio.file.Path;

/** What network a container has. There is no way to share the host's. */
public sealed interface ContainerNetwork {

    /** Nothing but the loopback interface. */
    record None() implements ContainerNetwork {}

    /** A namespace of its own that nothing leads to: as good as none, but gVisor sets its network up. */
    record Unconnected() implements ContainerNetwork {}

    /** The addresses and routes found in a network namespace, which gVisor takes over. */
    record Namespace(Path path) implements ContainerNetwork {}
}
