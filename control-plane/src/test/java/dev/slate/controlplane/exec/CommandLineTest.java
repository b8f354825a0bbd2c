package dev.slate.controlplane.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.PlatformException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommandLineTest {
    @Test
    void keepsWordsAsTheyAre() {
        CommandLine line = CommandLine.of(List.of("sh", "", "a b\nc", "ü"));

        assertThat(CommandLine.decode(line.encode(), line.cut())).isEqualTo(line);
        assertThat(line.cut()).isFalse();
    }

    @Test
    void cutsLongOnesBetweenCharacters() {
        CommandLine line = CommandLine.of(List.of("echo", "😀".repeat(20_000), "end"));

        assertThat(line.cut()).isTrue();
        assertThat(line.words()).hasSize(2);
        assertThat(line.encode()).hasSizeLessThanOrEqualTo(64 * 1024);
        assertThat(line.words().getLast()).matches("(😀)+");
        assertThat(line.shortened().encode()).hasSizeLessThanOrEqualTo(1024);
    }

    @Test
    void refusesWordsThatNoProgramCanGet() {
        assertThatThrownBy(() -> CommandLine.of(List.of("a\0b"))).isInstanceOf(PlatformException.class);
    }
}
