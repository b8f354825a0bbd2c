package dev.slate.controlplane.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.PlatformException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteRangeTest {
    @ParameterizedTest
    @CsvSource({"bytes=0-0,0,1", "bytes=2-5,2,4", "bytes=5-,5,5", "bytes=-3,7,3", "bytes=8-100,8,2", "bytes=-100,0,10"})
    void readsThePartsThatHttpKnows(String header, long first, long length) {
        assertThat(ByteRange.parse(header, 10)).contains(new ByteRange(first, length));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=-", "bytes=5-2", "bytes=10-", "lines=1-2", "bytes=1-2,4-5"})
    void refusesWhatIsNoPart(String header) {
        assertThatThrownBy(() -> ByteRange.parse(header, 10))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("range: " + header);
    }

    @Test
    void isTheWholeFileWithoutAHeader() {
        assertThat(ByteRange.parse(null, 10)).isEmpty();
    }
}
