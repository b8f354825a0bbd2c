package dev.slate.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.slate.testing.FakePlatform;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sign-in, failures to connect, secrets, keys and lists in pages. */
class ConnectionIT {

    private FakePlatform platform;
    private Slate slate;

    @BeforeEach
    void connect() {
        platform = FakePlatform.start();
        slate = TestSlate.connect(platform);
    }

    @AfterEach
    void close() {
        slate.close();
        platform.close();
    }

    @Test
    void knowsTheCallerAndTheInstall() {
        assertThat(slate.whoAmI().environmentName()).isEqualTo("default");
        assertThat(slate.whoAmI().permissions()).contains("deploy.create");
        assertThat(slate.configuration().platformHost()).isEqualTo("api.slate.internal");
    }

    @Test
    void namesTheEnvironmentInEachCall() {
        try (var other = Slate.builder()
                .endpoint(URI.create(platform.endpoint()), SecretValue.of(FakePlatform.TOKEN))
                .environmentId("env-7")
                .build()) {
            other.whoAmI();

            assertThat(platform.lastHeader("x-slate-env-id")).isEqualTo("env-7");
        }
    }

    @Test
    void refusesAWrongToken() {
        try (var stranger = Slate.builder()
                .endpoint(URI.create(platform.endpoint()), SecretValue.of("wrong"))
                .build()) {
            assertThatExceptionOfType(SlateException.Unauthenticated.class)
                    .isThrownBy(stranger::whoAmI)
                    .withMessage("token: not valid");
        }
    }

    @Test
    void saysHowToStartAPlatformThatIsDown() throws IOException {
        int unused;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            unused = socket.getLocalPort();
        }
        try (var nobody = Slate.builder()
                .endpoint(URI.create("http://127.0.0.1:" + unused), SecretValue.of("any"))
                .progress(Progress.none())
                .build()) {
            assertThatExceptionOfType(SlateException.Unavailable.class)
                    .isThrownBy(() -> nobody.sandbox().run())
                    .withMessageStartingWith("cannot reach Slate at http://127.0.0.1:" + unused)
                    .withMessageEndingWith("Start it with: slate up");
        }
    }

    @Test
    void readsListsToTheirEnd() {
        slate.secrets().set("B", "2");
        slate.secrets().set("A", "1");
        slate.secrets().set("C", "3");

        assertThat(slate.secrets().list()).extracting(Secrets.Entry::name).containsExactly("A", "B", "C");
    }

    @Test
    void keepsSecretValuesOutOfText() {
        slate.secrets().set("A", "hidden");

        var value = slate.secrets().get("A");

        assertThat(value).hasToString("***");
        assertThat(value.reveal()).isEqualTo("hidden");
    }

    @Test
    void managesTheGateway() {
        slate.router().putConnection("demo", URI.create("http://127.0.0.1:1/v1"), "offline/");
        var created = slate.router().createApiKey("tutorial");
        slate.router().revokeApiKey(created.apiKey().hash());

        assertThat(created.key().reveal()).hasSize(35).startsWith("sl-");
        assertThat(created.toString()).doesNotContain(created.key().reveal());
        assertThat(slate.router().apiKeys())
                .singleElement()
                .satisfies(key -> assertThat(key.revoked()).isTrue());
        assertThat(slate.router().models().models()).containsExactly(new Router.Model("offline/small", "demo"));
    }

    @Test
    void managesServiceTokens() {
        var created = slate.serviceTokens().create("ci", List.of("deploy.create"));

        slate.serviceTokens().revoke(created.token().clientId());

        assertThat(slate.serviceTokens().list())
                .singleElement()
                .satisfies(token -> assertThat(token.revoked()).isTrue());
    }
}
