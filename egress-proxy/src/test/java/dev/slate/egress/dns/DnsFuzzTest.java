package dev.slate.egress.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.egress.Fuzz;
import dev.slate.egress.host.IpLiteral;
import dev.slate.egress.policy.NetworkPolicy;
import dev.slate.egress.policy.Sandbox;
import dev.slate.egress.policy.Snapshots;
import java.util.List;
import org.junit.jupiter.api.Test;

class DnsFuzzTest {

    @Test
    void everyMessageGetsNoAnswerOrOneThatIsHardlyLonger() {
        var source = IpLiteral.address(new byte[] {10, 0, 0, 2});
        var snapshots = new Snapshots();
        snapshots.update(old -> old.with(new Sandbox("a", source, 1, NetworkPolicy.openInternet(), List.of())));
        var answers = new DnsAnswers(snapshots, new SyntheticAddresses());

        Fuzz.run(
                "dns",
                (input, random) -> answers.answer(input, source).ifPresent(answer -> {
                    assertThat(answer.length).isBetween(12, Math.max(12, input.length + 16));
                    assertThat(answer).startsWith(input[0], input[1]);
                    assertThat(answer[2] & 0x80).isNotZero();
                    assertThat(input[2] & 0x80).isZero();
                }));
    }
}
