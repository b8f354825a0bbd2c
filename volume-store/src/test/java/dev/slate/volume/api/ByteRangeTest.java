package dev.slate.volume.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteRangeTest {
    @ParameterizedTest
    @CsvSource({"bytes=0-3, 0, 3", "bytes=4-, 4, 9", "bytes=-2, 8, 9", "bytes=-99, 0, 9", "bytes=5-99, 5, 9"})
    void readsSingleRanges(String header, long first, long last) {
        assertThat(ByteRange.parse(header, 10)).contains(new ByteRange(first, last));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=-", "bytes=1-2,4-5", "lines=1-2", "bytes=a-b", ""})
    void ignoresWhatIsNotOneRange(String header) {
        assertThat(ByteRange.parse(header, 10)).isEmpty();
    }

    @Test
    void knowsWhatTheFileDoesNotHave() {
        assertThat(new ByteRange(10, 9).isSatisfiable(10)).isFalse();
        assertThat(new ByteRange(0, -1).isSatisfiable(0)).isFalse();
        assertThat(new ByteRange(9, 9).isSatisfiable(10)).isTrue();
    }
}
