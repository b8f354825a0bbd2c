package dev.slate.common.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeCursorTest {

    @Test
    void continuesWhereAPageEnded() {
        TimeCursor last = new TimeCursor(Instant.parse("2026-01-02T03:04:05.678901Z"), "an id");

        assertThat(TimeCursor.of(new PageRequest(10, last.key()))).isEqualTo(last);
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "yesterday id", "2026-01-02T03:04:05Z", " "})
    void refusesATokenOfAnotherKind(String after) {
        assertThatThrownBy(() -> TimeCursor.of(new PageRequest(10, after)))
                .isInstanceOfSatisfying(
                        PlatformException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }
}
