package dev.slate.image.step;

import dev.slate.runsc.BindMount;
import dev.slate.runsc.ContainerNetwork;
import java.util.List;
import java.util.Map;

/** Connects build steps; never with the policy of any sandbox. */
public interface BuildNetwork {
    /** A connection for one step. */
    Connection connect(String buildId);

    /** What the container of a step gets; closing it takes the network away. */
    interface Connection extends AutoCloseable {
        ContainerNetwork network();

        /** Files that the step sees and that never become part of the layer. */
        List<BindMount> mounts();

        /** Variables that make programs trust the proxy. */
        Map<String, String> environment();

        @Override
        void close();
    }
}
