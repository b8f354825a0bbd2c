package dev.slate.e2e.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Outside;
import dev.slate.e2e.stack.Platform;
import dev.slate.e2e.stack.Shell;
import dev.slate.sdk.NetworkPolicy;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.SecretValue;
import dev.slate.sdk.Slate;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tries to get a credential's real value into a sandbox, or to a host that must not have it. */
@OnPlatform
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CredentialE2E {
    private static final String KEY = "E2E_BOUND_KEY";
    private static final String REAL = "real-value-0b7c1e5f93";

    private Platform platform;
    private Slate slate;
    private Sandbox sandbox;

    @BeforeAll
    void start(Platform givenPlatform, Slate givenSlate) {
        platform = givenPlatform;
        slate = givenSlate;
        slate.secrets().set(KEY, SecretValue.of(REAL));
        sandbox = slate.sandbox()
                .image(Platform.PYTHON)
                .network(NetworkPolicy.allowedHosts(Outside.BOUND, Outside.OTHER))
                .credential(Outside.BOUND, KEY)
                .run();
    }

    @AfterAll
    void end() {
        sandbox.close();
        slate.secrets().delete(KEY);
    }

    @Test
    void n01_aPlaceholderForAnotherAllowedHostStaysAPlaceholder() {
        Python.run(sandbox, Python.WITH_KEY, "https://" + Outside.OTHER + "/n1", KEY)
                .orThrow();

        assertThat(arrived(Outside.OTHER, "/n1")).singleElement().asString().contains("__slate-secret-");
        assertThat(arrived(Outside.OTHER, "/n1")).noneMatch(text -> text.contains(REAL));
    }

    @Test
    void n02_aPlaceholderInBodyPathOrQueryIsNotSwapped() {
        String script = """
                import os, sys, urllib.request
                key = os.environ[sys.argv[2]]
                request = urllib.request.Request(sys.argv[1] + "/n2/" + key + "?q=" + key, data=key.encode())
                print(urllib.request.urlopen(request, timeout=15).status)
                """;
        Python.run(sandbox, script, "https://" + Outside.BOUND, KEY).orThrow();

        assertThat(arrived(Outside.BOUND, "/n2/"))
                .singleElement()
                .asString()
                .contains("__slate-secret-")
                .doesNotContain(REAL);
    }

    @Test
    void aChangedSecretIsUsedAtOnceAndADeletedOneNoMore() {
        slate.secrets().set("E2E_ROTATED_KEY", SecretValue.of("first-value-7d1f"));
        try (Sandbox rotated = slate.sandbox()
                .image(Platform.PYTHON)
                .network(NetworkPolicy.allowedHosts(Outside.BOUND))
                .credential(Outside.BOUND, "E2E_ROTATED_KEY")
                .run()) {
            slate.secrets().set("E2E_ROTATED_KEY", SecretValue.of("second-value-93ab"));
            Python.run(rotated, Python.WITH_KEY, "https://" + Outside.BOUND + "/rotated", "E2E_ROTATED_KEY")
                    .orThrow();
            assertThat(arrived(Outside.BOUND, "/rotated"))
                    .singleElement()
                    .asString()
                    .contains("second-value-93ab");

            slate.secrets().delete("E2E_ROTATED_KEY");
            var after =
                    Python.run(rotated, Python.WITH_KEY, "https://" + Outside.BOUND + "/deleted", "E2E_ROTATED_KEY");
            assertThat(after.stdout()).startsWith("refused");
            assertThat(arrived(Outside.BOUND, "/deleted")).isEmpty();
        }
    }

    @Test
    void n05_aRedirectToAnotherHostDoesNotCarryTheKey() {
        String target = "https://" + Outside.BOUND + "/redirect?to=https://" + Outside.OTHER + "/n5";
        Python.run(sandbox, Python.WITH_KEY, target, KEY).orThrow();

        assertThat(arrived(Outside.OTHER, "/n5")).hasSize(1).noneMatch(text -> text.contains(REAL));
    }

    @Test
    void n06_aReflectedKeyIsReplacedInTheAnswer() {
        String answer = Python.run(sandbox, Python.WITH_KEY, "https://" + Outside.BOUND + "/echo/n6", KEY)
                .orThrow()
                .stdout();

        assertThat(arrived(Outside.BOUND, "/echo/n6"))
                .singleElement()
                .asString()
                .contains(REAL);
        assertThat(answer).startsWith("200").contains("__slate-secret-").doesNotContain(REAL);
    }

    @Test
    void n08_theRealValueIsNowhereThatCanBeRead() {
        Python.run(sandbox, Python.WITH_KEY, "https://" + Outside.BOUND + "/n8", KEY)
                .orThrow();
        String inside = sandbox.exec(
                        "sh",
                        "-c",
                        "env; cat /proc/*/environ /proc/*/cmdline; a=" + REAL.substring(0, 9) + "; b="
                                + REAL.substring(9) + "; grep -rsh $a$b /etc /run /tmp /root /.slate; true")
                .stdout();
        String listings = platform.cli("secret", "list").stdout()
                + platform.cli("sandbox", "get", sandbox.id(), "--json").stdout()
                + platform.cli("sandbox", "egress", sandbox.id(), "--json").stdout()
                + sandbox.egress();
        String files = Shell.run("sh", "-c", "grep -rsl " + REAL + " " + platform.home() + " || true");

        assertThat(arrived(Outside.BOUND, "/n8")).singleElement().asString().contains(REAL);
        assertThat(inside).doesNotContain(REAL);
        assertThat(listings).doesNotContain(REAL).contains(KEY);
        assertThat(files).isBlank();
    }

    @Test
    void n09_anotherSandboxsPlaceholderIsWorthless() {
        String stolen = sandbox.exec("printenv", KEY).orThrow().stdout().strip();
        try (Sandbox thief = slate.sandbox()
                .image(Platform.PYTHON)
                .network(NetworkPolicy.allowedHosts(Outside.BOUND))
                .credential(Outside.BOUND, KEY, "OWN_KEY")
                .env("STOLEN", stolen)
                .run()) {
            Python.run(thief, Python.WITH_KEY, "https://" + Outside.BOUND + "/n9", "STOLEN");
            String network =
                    Python.run(thief, Python.CONNECT, address(sandbox), "61234").stdout();

            assertThat(thief.exec("printenv", "OWN_KEY").stdout().strip()).isNotEqualTo(stolen);
            assertThat(network).matches("(?s)(refused|answered b'HTTP/1.1 4[0-9]{2} ).*");
        }
        assertThat(arrived(Outside.BOUND, "/n9")).noneMatch(text -> text.contains(REAL));
    }

    @Test
    void aPlainHttpRequestToTheBoundHostDoesNotCarryTheKey() {
        Python.run(sandbox, Python.WITH_KEY, "http://" + Outside.BOUND + "/plain", KEY);

        assertThat(arrived(Outside.BOUND, "/plain")).noneMatch(text -> text.contains(REAL));
    }

    private String address(Sandbox other) {
        return other.exec("python3", "-c", "import socket; print(socket.gethostbyname(socket.gethostname()))")
                .stdout()
                .strip();
    }

    private List<String> arrived(String host, String pathPrefix) {
        return platform.outside().requestsFor(host).stream()
                .filter(request -> request.target().startsWith(pathPrefix))
                .map(Outside.Request::text)
                .toList();
    }
}
