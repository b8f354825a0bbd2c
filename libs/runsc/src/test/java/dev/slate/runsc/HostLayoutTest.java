package dev.slate.runsc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class HostLayoutTest {

    @Test
    void namesDependOnTheHomeAndFitTheKernel() {
        HostLayout layout = HostLayout.of(Path.of("/var/lib/slate"));

        NetworkSlot last = NetworkSlot.of(16_383, layout, NetworkSettings.DEFAULT_SUBNET);

        assertThat(layout.tag()).isEqualTo(InstanceTag.of(Path.of("/var/lib/../lib/slate")));
        assertThat(layout.tag()).isNotEqualTo(InstanceTag.of(Path.of("/srv/slate")));
        assertThat(last.interfaceName())
                .isEqualTo("sl" + layout.tag().value() + "3fff")
                .hasSizeLessThan(16);
        assertThat(last.sandboxAddress().getHostAddress()).isEqualTo("10.231.255.254");
        assertThat(last.hostAddress().getHostAddress()).isEqualTo("10.231.255.253");
    }

    @Test
    void refusesNamesAndRangesThatWouldNotWork() {
        assertThatThrownBy(() -> new ContainerId("../x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Subnet.parse("10.231.0.1/16")).hasMessageContaining("expected");
        assertThatThrownBy(() -> Subnet.parse("10.231.0.0")).hasMessageContaining("like 10.231.0.0/16");
        assertThatThrownBy(() -> new ResourceLimits(0, 1, 0)).hasMessageContaining("64 MiB");
    }
}
