package dev.slate.egress.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandshakeBudgetTest {

    private final HandshakeBudget budget = new HandshakeBudget();

    @Test
    void aBurstIsFreeAndWhatComesAfterItWaitsItsTurn() {
        for (var i = 0; i < HandshakeBudget.BURST; i++) {
            assertThat(budget.next(-5)).isZero();
        }

        assertThat(budget.next(-5)).isEqualTo(Duration.ofMillis(5));
        assertThat(budget.next(-5)).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void aPauseFillsItAgain() {
        for (var i = 0; i < 3 * HandshakeBudget.BURST; i++) {
            var _ = budget.next(0);
        }
        var later = Duration.ofMinutes(1).toNanos();

        assertThat(budget.next(later)).isZero();
    }
}
