package dev.slate.controlplane.identity;

import java.time.Instant;

/** Keeps environments. */
interface EnvironmentStore {
    /** The environment with the candidate's team, project and name; it is the candidate if there was none. */
    Environment findOrCreate(Environment candidate, Instant now);
}
