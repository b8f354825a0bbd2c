package dev.slate.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.sdk.GitStatus.Change;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GitStatusTest {

    @Test
    void readsBranchAndChanges() {
        var status = GitStatus.parse(String.join(
                "\0",
                "# branch.oid 1234",
                "# branch.head main",
                "# branch.upstream origin/main",
                "# branch.ab +2 -3",
                "1 .M N... 100644 100644 100644 aa bb a file\nwith lines",
                "2 R. N... 100644 100644 100644 aa bb R100 new name",
                "old name",
                "u UU N... 100644 100644 100644 100644 aa bb cc both",
                "? new",
                ""));

        assertThat(status.branch()).contains("main");
        assertThat(status.upstream()).contains("origin/main");
        assertThat(status.ahead()).isEqualTo(2);
        assertThat(status.behind()).isEqualTo(3);
        assertThat(status.changes())
                .containsExactly(
                        new Change("a file\nwith lines", Optional.empty(), '.', 'M'),
                        new Change("new name", Optional.of("old name"), 'R', '.'),
                        new Change("both", Optional.empty(), 'U', 'U'),
                        new Change("new", Optional.empty(), '?', '?'));
    }

    @Test
    void aDetachedHeadHasNoBranch() {
        var status = GitStatus.parse("# branch.oid 1234\0# branch.head (detached)\0");

        assertThat(status.branch()).isEmpty();
        assertThat(status.clean()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1", "1 .M", "2 R. N... 1 1 1 a b R100 new", "# branch.ab +x -1", "# branch.ab ", "u  ", "?"})
    void anythingElseIsRefusedWithACode(String text) {
        assertThatThrownBy(() -> GitStatus.parse(text))
                .isInstanceOfSatisfying(
                        SlateException.FailedPrecondition.class,
                        failure -> assertThat(failure.code()).isEqualTo("GIT_UNREADABLE"));
    }
}
