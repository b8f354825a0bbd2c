package dev.slate.egress.dns;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.egress.host.HostName;
import dev.slate.egress.host.HostPattern;
import dev.slate.egress.host.IpLiteral;
import dev.slate.egress.policy.NetworkPolicy;
import dev.slate.egress.policy.Sandbox;
import dev.slate.egress.policy.Snapshots;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DnsAnswersTest {

    private static final Inet4Address SOURCE = address("10.0.0.2");
    private final Snapshots snapshots = new Snapshots();
    private final SyntheticAddresses addresses = new SyntheticAddresses();
    private final DnsAnswers answers = new DnsAnswers(snapshots, addresses);

    @BeforeEach
    void allowOneHost() {
        put(NetworkPolicy.allowing(Set.of(HostPattern.parse("api.example.com"))));
    }

    @Test
    void givesEveryNameASyntheticAddressThatStays() {
        var first = ask("api.example.com", 1);
        var again = ask("API.example.COM", 1);
        var denied = ask("secret-data.evil.test", 1);

        assertThat(code(first)).isZero();
        assertThat(SyntheticAddresses.isSynthetic(given(first))).isTrue();
        assertThat(given(again)).isEqualTo(given(first));
        assertThat(given(denied)).isNotEqualTo(given(first));
        assertThat(addresses.nameOf("a", given(first))).contains(HostName.parse("api.example.com"));
        assertThat(addresses.nameOf("b", given(first))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 6, 10, 12, 15, 16, 28, 33, 64, 65, 255})
    void answersEveryOtherTypeWithoutData(int type) {
        var answer = ask("api.example.com", type);

        assertThat(code(answer)).isZero();
        assertThat(count(answer)).isZero();
    }

    @Test
    void refusesEverythingUnderAnEmptyList() {
        put(NetworkPolicy.allowing(Set.of()));

        assertThat(code(ask("api.example.com", 1))).isEqualTo(5);
        assertThat(count(ask("api.example.com", 1))).isZero();
    }

    @Test
    void saysNothingToStrangers() {
        assertThat(answers.answer(query("api.example.com", 1), address("10.0.0.9")))
                .isEmpty();
    }

    @Test
    void answersAreNeverMuchLongerThanQuestions() {
        var question = query("api.example.com", 1);

        assertThat(answers.answer(question, SOURCE).orElseThrow()).hasSizeLessThanOrEqualTo(question.length + 16);
    }

    @Test
    void survivesMalformedMessages() {
        var good = query("api.example.com", 1);
        for (var length = 0; length < good.length; length++) {
            var answer = answers.answer(Arrays.copyOf(good, length), SOURCE);
            if (length < 12) {
                assertThat(answer).isEmpty();
            } else {
                assertThat(code(answer.orElseThrow())).isEqualTo(1);
            }
        }
        var loop = good.clone();
        loop[12] = (byte) 0xc0;
        loop[13] = 12;
        assertThat(code(answers.answer(loop, SOURCE).orElseThrow())).isEqualTo(1);
        var twoQuestions = good.clone();
        twoQuestions[5] = 2;
        assertThat(code(answers.answer(twoQuestions, SOURCE).orElseThrow())).isEqualTo(1);
        var response = good.clone();
        response[2] |= (byte) 0x80;
        assertThat(answers.answer(response, SOURCE)).isEmpty();
    }

    @Test
    void keepsABoundedNumberOfNames() {
        for (var i = 0; i < 5000; i++) {
            var _ = addresses.addressOf("a", HostName.parse("n" + i + ".example.com"));
        }

        var oldest = new SyntheticAddresses().addressOf("a", HostName.parse("n0.example.com"));
        assertThat(addresses.nameOf("a", oldest)).isNotEqualTo(Optional.of(HostName.parse("n0.example.com")));
    }

    private void put(NetworkPolicy policy) {
        snapshots.update(snapshot -> snapshot.with(new Sandbox("a", SOURCE, 1, policy, List.of())));
    }

    private byte[] ask(String name, int type) {
        return answers.answer(query(name, type), SOURCE).orElseThrow();
    }

    static byte[] query(String name, int type) {
        var buffer = ByteBuffer.allocate(512);
        buffer.putShort((short) 7)
                .putShort((short) 0x0100)
                .putShort((short) 1)
                .putShort((short) 0)
                .putInt(0);
        for (var label : name.split("\\.", -1)) {
            buffer.put((byte) label.length()).put(label.getBytes(UTF_8));
        }
        buffer.put((byte) 0).putShort((short) type).putShort((short) 1);
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    private static int code(byte[] answer) {
        return answer[3] & 0xf;
    }

    private static int count(byte[] answer) {
        return ByteBuffer.wrap(answer).getShort(6);
    }

    private static InetAddress given(byte[] answer) {
        return IpLiteral.address(Arrays.copyOfRange(answer, answer.length - 4, answer.length));
    }

    private static Inet4Address address(String text) {
        return IpLiteral.tryParse(text).orElseThrow().address();
    }
}
