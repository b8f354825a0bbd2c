package dev.slate.controlplane.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SandboxStateTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void runsAfterBuildingAndStarting() {
        SandboxState.Running running =
                new SandboxState.Pending().building().starting("sha256:1").ready(NOW);

        assertThat(running).isEqualTo(new SandboxState.Running("sha256:1", NOW));
    }

    @Test
    void keepsTheFirstReasonToEnd() {
        SandboxState.Terminating ending = new SandboxState.Pending().ending(new End(Cause.LIFETIME, "first"));

        assertThat(ending.ending(new End(Cause.USER, "second")).end().cause()).isEqualTo(Cause.LIFETIME);
    }

    @ParameterizedTest
    @EnumSource(Cause.class)
    void failsExactlyForCausesThatNobodyWanted(Cause cause) {
        SandboxState.Ended ended =
                new SandboxState.Pending().ending(new End(cause, "")).ended(NOW);

        assertThat(ended instanceof SandboxState.Failed).isEqualTo(cause.isFailure());
    }
}
