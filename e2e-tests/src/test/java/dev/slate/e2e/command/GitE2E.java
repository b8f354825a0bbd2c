package dev.slate.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.sdk.GitStatus;
import dev.slate.sdk.GitStatus.Change;
import dev.slate.sdk.Image;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real git on a real repository. */
@OnPlatform
@Timeout(300)
class GitE2E {
    private static final Image IMAGE = Image.debianSlim().aptInstall("git");

    @Test
    void clonesAndTellsWhatDiffers(Slate slate) {
        try (Sandbox sandbox = slate.sandbox().image(IMAGE).run()) {
            sandbox.exec("sh", "-ec", """
                    git config --global user.name Tester
                    git config --global user.email tester@example.com
                    git init -q -b main /srv/origin
                    cd /srv/origin
                    for i in 1 2 3; do echo "line $i" >> story; git add story; git commit -qm "part $i"; done
                    """).orThrow();

            sandbox.git().clone("/srv/origin", "/srv/copy");
            sandbox.git().clone("file:///srv/origin", "/srv/-shallow", "main", 1);

            assertThat(sandbox.git().status("/srv/copy"))
                    .isEqualTo(new GitStatus(Optional.of("main"), Optional.of("origin/main"), 0, 0, List.of()));
            assertThat(sandbox.exec("git", "-C", "/srv/-shallow", "rev-list", "--count", "HEAD")
                            .orThrow()
                            .stdout())
                    .isEqualTo("1\n");

            sandbox.exec("sh", "-ec", """
                    cd /srv/copy
                    git commit -q --allow-empty -m ahead
                    echo 'line 4' >> story
                    : > "$(printf 'new\\nname')"
                    """).orThrow();
            GitStatus status = sandbox.git().status("/srv/copy");

            assertThat(status.ahead()).isEqualTo(1);
            assertThat(status.changes())
                    .containsExactly(
                            new Change("story", Optional.empty(), '.', 'M'),
                            new Change("new\nname", Optional.empty(), '?', '?'));
            assertThat(sandbox.git().diff("/srv/copy")).contains("\n+line 4\n").doesNotContain("line 5");
        }
    }

    @Test
    void noArgumentIsAnOption(Slate slate) {
        try (Sandbox sandbox = slate.sandbox().image(IMAGE).run()) {
            assertThatThrownBy(() -> sandbox.git().clone("--upload-pack=touch /tmp/ran", "/srv/copy"))
                    .isInstanceOf(SlateException.ExecFailed.class);
            assertThatThrownBy(() -> sandbox.git().clone("ext::touch /tmp/ran", "/srv/copy"))
                    .isInstanceOf(SlateException.ExecFailed.class);
            assertThatThrownBy(() -> sandbox.git().status("--help")).isInstanceOf(SlateException.ExecFailed.class);

            assertThat(sandbox.exec("test", "-e", "/tmp/ran").exitCode()).isEqualTo(1);
        }
    }
}
