package dev.slate.controlplane.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.PlatformException;
import dev.slate.common.secret.SecretValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class EnvelopesTest {
    private static final Envelopes.Place PLACE = new Envelopes.Place("secret", "env-1", "KEY");
    private static final SecretValue VALUE = SecretValue.of("correct horse battery staple");

    private final Envelopes envelopes = new Envelopes(SecretValue.of(new byte[32]));

    @Test
    void opensWhatItSealed() {
        byte[] envelope = envelopes.seal(PLACE, VALUE);

        assertThat(envelopes.open(PLACE, envelope)).isEqualTo(VALUE);
        assertThat(new String(envelope, StandardCharsets.ISO_8859_1)).doesNotContain("horse");
    }

    @Test
    void sealsTheSameValueDifferentlyEachTime() {
        assertThat(envelopes.seal(PLACE, VALUE)).isNotEqualTo(envelopes.seal(PLACE, VALUE));
    }

    @Test
    void refusesAnEnvelopeWithAnyBitChanged() {
        byte[] envelope = envelopes.seal(PLACE, VALUE);

        for (int bit = 0; bit < envelope.length * 8; bit++) {
            byte[] changed = envelope.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> envelopes.open(PLACE, changed))
                    .isInstanceOf(PlatformException.class)
                    .hasMessageNotContaining("horse");
        }
    }

    @Test
    void refusesAnEnvelopeCutShort() {
        byte[] envelope = envelopes.seal(PLACE, VALUE);

        for (int length = 0; length < envelope.length; length++) {
            byte[] cut = Arrays.copyOf(envelope, length);
            assertThatThrownBy(() -> envelopes.open(PLACE, cut)).isInstanceOf(PlatformException.class);
        }
    }

    @Test
    void refusesAnEnvelopeInAnotherPlace() {
        byte[] envelope = envelopes.seal(PLACE, VALUE);

        assertRefused(new Envelopes.Place("secret", "env-2", "KEY"), envelope);
        assertRefused(new Envelopes.Place("secret", "env-1", "OTHER"), envelope);
        assertRefused(new Envelopes.Place("connection", "env-1", "KEY"), envelope);
        assertRefused(new Envelopes.Place("secret", "env-1K", "EY"), envelope);
    }

    @Test
    void refusesAnEnvelopeOfAnotherKey() {
        byte[] other = new byte[32];
        other[0] = 1;

        assertThatThrownBy(() -> new Envelopes(SecretValue.of(other)).open(PLACE, envelopes.seal(PLACE, VALUE)))
                .isInstanceOf(PlatformException.class);
    }

    private void assertRefused(Envelopes.Place place, byte[] envelope) {
        assertThatThrownBy(() -> envelopes.open(place, envelope)).isInstanceOf(PlatformException.class);
    }
}
