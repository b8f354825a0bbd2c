package dev.slate.controlplane.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.runtime.SandboxId;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

class PortLimitTest {
    private static final SandboxId ONE = new SandboxId("00000000-0000-4000-8000-000000000001");
    private static final SandboxId OTHER = new SandboxId("00000000-0000-4000-8000-000000000002");

    private final PortLimit limit = new PortLimit();
    private final Deque<PortLimit.Place> taken = new ArrayDeque<>();

    @Test
    void theLastPlaceIsTakenOnceAndFreeAgainWhenAnotherCloses() {
        for (int number = 0; number < PortLimit.MOST; number++) {
            taken.add(limit.take(ONE));
        }

        assertThatThrownBy(() -> limit.take(ONE))
                .isInstanceOfSatisfying(
                        PlatformException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                .hasMessageContaining("128 (the limit)");
        taken.add(limit.take(OTHER));
        taken.remove().close();
        taken.add(limit.take(ONE));
        assertThatThrownBy(() -> limit.take(ONE)).isInstanceOf(PlatformException.class);
    }
}
