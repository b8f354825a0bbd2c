package dev.slate.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {

    @ParameterizedTest
    @CsvSource({"1, 1000", "0.5, 500", "500m, 500", "2.0, 2000", "0.001, 1", "16, 16000"})
    void readsCpus(String text, int millis) {
        assertThat(Quantity.cpuMillis(text)).isEqualTo(millis);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "1x", "0.5m", "0.0001", "9999999", "NaN"})
    void refusesOtherCpusAndNamesThem(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Quantity.cpuMillis(text))
                .withMessage("cpu: " + text + " (expected: CPUs such as 1, 0.5 or 500m)");
    }

    @ParameterizedTest
    @CsvSource({
        "1024, 1024",
        "2Gi, 2147483648",
        "512Mi, 536870912",
        "1.5Gi, 1610612736",
        "2G, 2000000000",
        "64Ki, 65536",
        "1k, 1000"
    })
    void readsMemory(String text, long bytes) {
        assertThat(Quantity.memoryBytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "0Gi", "-1Gi", "2 Gi", "2Gb", "ki", "1ki", "99999999Ti"})
    void refusesOtherMemoryAndNamesIt(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Quantity.memoryBytes(text))
                .withMessage("memory: " + text + " (expected: bytes with a unit such as 512Mi or 2Gi)");
    }
}
