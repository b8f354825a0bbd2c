package dev.slate.controlplane.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.common.grpc.TimeCursor;
import dev.slate.controlplane.agent.ExecEvent.Exited;
import dev.slate.controlplane.agent.ExecEvent.Lost;
import dev.slate.controlplane.agent.ExecEvent.Terminal;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.standalone.PlatformResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Records of commands in a real database. */
@QuarkusTest
@QuarkusTestResource(PlatformResource.class)
class ExecStoreIT {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    @Inject
    ExecStore store;

    private final SandboxId sandbox = new SandboxId(UUID.randomUUID().toString());

    @Test
    void onlyTheNewestEndedOnesAreKeptAndAllThatRun() {
        List<ExecRecord> all = IntStream.range(0, 6).mapToObj(this::command).toList();
        all.forEach(command -> assertThat(store.add(command)).isTrue());
        all.stream().skip(1).forEach(command -> end(command, new Exited(3, 0)));

        store.prune(2, Duration.ofDays(1));

        assertThat(ids(false)).containsExactly("c5", "c4", "c0");
        assertThat(ids(true)).containsExactly("c0");
    }

    @Test
    void anIdIsTakenOnce() {
        assertThat(store.add(command(1))).isTrue();
        assertThat(store.add(command(1))).isFalse();
        assertThat(ids(false)).containsExactly("c1");
    }

    @Test
    void theFirstEndCountsButARealOneReplacesALoss() {
        ExecRecord command = command(1);
        store.add(command);

        end(command, new Lost(1, "gone"));
        end(command, new Exited(3, 7));
        end(command, new Exited(3, 8));
        end(command, new Lost(1, "gone"));

        assertThat(store.find(command.key()).flatMap(ExecRecord::end).map(ExecRecord.End::how))
                .contains(new Exited(3, 7));
    }

    private List<String> ids(boolean runningOnly) {
        return store.list(sandbox, runningOnly, new TimeCursor(BEGIN.plusSeconds(60), ""), 100).stream()
                .map(command -> command.key().id())
                .toList();
    }

    private void end(ExecRecord command, Terminal how) {
        store.end(Map.of(command.key(), new ExecRecord.End(how, BEGIN)));
    }

    private ExecRecord command(int number) {
        return new ExecRecord(
                new ExecKey(sandbox, "c" + number),
                "environment",
                CommandLine.of(List.of("true")),
                "digest",
                "",
                "",
                false,
                Optional.empty(),
                BEGIN.plusSeconds(number),
                Optional.empty());
    }
}
