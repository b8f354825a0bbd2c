package dev.slate.controlplane.sandbox;

import dev.slate.api.image.v1.BuildEvent;
import dev.slate.controlplane.runtime.Workload.ImageLayers;
import java.util.Map;
import java.util.function.Consumer;

/** The image builder as sandboxes need it. Thread-safe. */
interface ImageSupply {
    /** The digest of an image, which is built when it does not exist; progress is told until then. */
    String resolve(String environment, ImageSource image, Consumer<BuildEvent> progress);

    /** Makes an image ready on this node; repeatable. */
    PreparedImage prepare(String digest);

    /** An image on this node, and what its commands start with. */
    record PreparedImage(ImageLayers layers, Map<String, String> env, String workdir, String user) {
        public PreparedImage {
            env = Map.copyOf(env);
        }
    }
}
