package dev.slate.volume.mount;

import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/** Finishes at start what an earlier process began. */
@Singleton
class MountRecovery {
    private static final Logger LOG = Logger.getLogger(MountRecovery.class);

    private final VolumeMounts mounts;

    MountRecovery(VolumeMounts mounts) {
        this.mounts = mounts;
    }

    void onStart(@Observes StartupEvent event) {
        var unfinished = mounts.recover();
        if (!unfinished.isEmpty()) {
            Thread.ofVirtual().name("volume-recovery").start(() -> unfinished.forEach(this::finish));
        }
    }

    /** A failure stays in the journal for the next seal of the same mount. */
    private void finish(String mountId) {
        try {
            mounts.seal(mountId, true);
        } catch (RuntimeException e) {
            LOG.warnf(e, "seal is not finished yet mountId=%s", mountId);
        }
    }
}
