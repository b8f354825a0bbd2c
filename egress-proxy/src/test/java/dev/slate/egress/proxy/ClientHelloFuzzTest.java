package dev.slate.egress.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.egress.Fuzz;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ClientHelloFuzzTest {

    @Test
    void everyInputIsAHelloOrNotAndPartsOfAHelloAreIncomplete() {
        Fuzz.run("hello", (input, random) -> {
            var whole = ClientHello.parse(ByteBuffer.wrap(input));
            if (input.length > 0 && whole instanceof ClientHello.Complete) {
                var part = ClientHello.parse(ByteBuffer.wrap(input, 0, random.nextInt(input.length)));
                // Bytes after a hello may have been cut off, nothing else.
                assertThat(part).isIn(new ClientHello.Incomplete(), whole);
            }
        });
    }
}
