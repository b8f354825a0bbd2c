package dev.slate.sdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SignInTest {

    private static final Failures FAILURES = failure -> new IllegalStateException(failure.message());

    @TempDir
    private Path folder;

    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void configure() {
        environment.put("XDG_CONFIG_HOME", folder.toString());
        environment.put("SLATE_HOME", folder.resolve("home").toString());
    }

    @Test
    void prefersTheTokenOfTheEnvironment() throws IOException {
        ownerToken("owner");
        environment.put("SLATE_TOKEN", "given");

        assertThat(find().tokens().token()).isEqualTo("given");
    }

    @Test
    void takesTheOwnerTokenOfTheInstallOnThisHost() throws IOException {
        ownerToken("owner");
        Files.writeString(folder.resolve("home/endpoint"), "http://127.0.0.1:9999\n");

        var signIn = find();

        assertThat(signIn.tokens().token()).isEqualTo("owner");
        assertThat(signIn.endpoint()).isEqualTo(Endpoint.parse("http://127.0.0.1:9999"));
    }

    @Test
    void neverSendsTheOwnerTokenElsewhere() throws IOException {
        ownerToken("owner");
        environment.put("SLATE_ENDPOINT", "https://slate.example.com");

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(this::find)
                .withMessageStartingWith("not signed in to https://slate.example.com");
    }

    @Test
    void takesAStoredTokenForItsEndpointOnly() {
        environment.remove("SLATE_HOME");
        CredentialsFile.of(environment)
                .write(CredentialsFile.Entry.ofToken(Endpoint.parse("https://slate.example.com/"), "stored"));

        assertThat(find().endpoint()).hasToString("https://slate.example.com");
        assertThat(find().tokens().token()).isEqualTo("stored");
        environment.put("SLATE_ENDPOINT", "https://other.example.com");
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::find);
    }

    @Test
    void wantsClientIdAndSecretTogether() {
        environment.put("SLATE_CLIENT_ID", "id");

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(this::find)
                .withMessage("SLATE_CLIENT_ID and SLATE_CLIENT_SECRET must be set together");
    }

    @Test
    void keepsTheCredentialsFileToItsOwner() throws IOException {
        var file = CredentialsFile.of(environment);

        file.write(CredentialsFile.Entry.ofClient(Endpoint.LOCAL, "id", "secret"));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path())))
                .isEqualTo("rw-------");
        assertThat(file.read()).contains(CredentialsFile.Entry.ofClient(Endpoint.LOCAL, "id", "secret"));
    }

    private SignIn find() {
        return SignIn.find(environment, FAILURES);
    }

    private void ownerToken(String token) throws IOException {
        Files.createDirectories(folder.resolve("home"));
        Files.writeString(folder.resolve("home/owner-token"), token + "\n");
    }
}
