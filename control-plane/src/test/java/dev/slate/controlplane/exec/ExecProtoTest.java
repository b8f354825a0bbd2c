package dev.slate.controlplane.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.api.exec.v1.ExecEvent;
import dev.slate.controlplane.agent.ExecEvent.Exited;
import dev.slate.controlplane.agent.ExecEvent.Lost;
import org.junit.jupiter.api.Test;

class ExecProtoTest {
    @Test
    void whoHasReadAllGetsTheEndOnly() {
        assertThat(ExecProto.remains(new Exited(5, 3), 5)).singleElement().satisfies(end -> {
            assertThat(end.getSequence()).isEqualTo(5);
            assertThat(end.getEnded().getExitCode()).isEqualTo(3);
        });
    }

    @Test
    void outputThatIsGoneIsMarked() {
        assertThat(ExecProto.remains(new Exited(5, 3), 0))
                .extracting(ExecEvent::getSequence, ExecEvent::getLogGone, ExecEvent::hasEnded)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(4L, true, false),
                        org.assertj.core.groups.Tuple.tuple(5L, false, true));
    }

    @Test
    void anEndWithoutAPlaceFollowsWhatIsWanted() {
        assertThat(ExecProto.remains(new Lost(0, "gone"), 7))
                .extracting(ExecEvent::getSequence)
                .containsExactly(7L, 8L);
    }
}
