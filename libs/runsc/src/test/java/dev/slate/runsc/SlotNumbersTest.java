package dev.slate.runsc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SlotNumbersTest {

    private Instant now = Instant.EPOCH;
    private final SlotNumbers numbers = new SlotNumbers(4, Duration.ofSeconds(60), 2, Set.of(3), () -> now);

    @Test
    void goesRoundAndSkipsWhatIsInUse() {
        assertThat(numbers.take()).isEqualTo(2);
        assertThat(numbers.take()).isZero();
        assertThat(numbers.next()).isEqualTo(1);
    }

    @Test
    void numberRestsForTheQuarantine() {
        numbers.giveBack(3);
        numbers.take();
        numbers.take();
        numbers.take();

        now = now.plusSeconds(59);
        assertThatThrownBy(numbers::take).hasMessageContaining("all 4 are in use or rest");
        now = now.plusSeconds(1);
        assertThat(numbers.take()).isEqualTo(3);
    }

    @Test
    void givingBackWhatWasNotTakenFreesNothing() {
        numbers.giveBack(3);
        now = now.plusSeconds(60);
        List<Integer> all = Stream.generate(numbers::take).limit(4).toList();
        numbers.giveBack(9);

        assertThat(all).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThatThrownBy(numbers::take).isInstanceOf(RunscException.class);
    }
}
