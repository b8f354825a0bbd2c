package dev.slate.controlplane.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventFramesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "data: {\"a\":\"ü€😀\"}\n\n: keep-alive\n\nevent: x\ndata: 1\ndata: 2\n\ndata: [DONE]\n\n",
                "data: 1\r\n\r\ndata: ü\r\n\r\ndata: [DONE]\r\n\r\n",
                "data: 1\r\rdata: 2\r\rdata: [DONE]\r\r"
            })
    void keepsAllBytesHoweverTheStreamIsCut(String stream) {
        byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
        long expected =
                texts(List.of(bytes)).stream().filter(text -> !text.isBlank()).count();

        for (int first = 0; first <= bytes.length; first++) {
            List<byte[]> parts =
                    List.of(Arrays.copyOfRange(bytes, 0, first), Arrays.copyOfRange(bytes, first, bytes.length));
            assertThat(String.join("", texts(parts))).as("cut at %d", first).isEqualTo(stream);
            assertThat(texts(parts).stream().filter(text -> !text.isBlank()).count())
                    .isEqualTo(expected);
        }
    }

    @Test
    void givesAFrameAsSoonAsItIsWhole() {
        EventFrames frames = new EventFrames();

        assertThat(frames.accept("data: 1\n".getBytes(StandardCharsets.UTF_8))).isEmpty();
        assertThat(frames.accept("\ndata".getBytes(StandardCharsets.UTF_8))).hasSize(1);
        assertThat(frames.rest()).asString(StandardCharsets.UTF_8).isEqualTo("data");
    }

    private static List<String> texts(List<byte[]> parts) {
        EventFrames frames = new EventFrames();
        List<String> texts = new ArrayList<>();
        parts.forEach(part -> frames.accept(part).forEach(frame -> texts.add(latin(frame))));
        texts.add(latin(frames.rest()));
        return texts.stream()
                .map(text -> new String(text.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8))
                .toList();
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
