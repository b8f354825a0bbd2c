package dev.slate.sdk;

import dev.slate.api.identity.v1.GetConfigurationRequest;
import dev.slate.api.identity.v1.IdentityGrpc;
import dev.slate.api.identity.v1.WhoAmIRequest;
import dev.slate.api.sandbox.v1.SandboxesGrpc;
import dev.slate.api.sandbox.v1.TestNetworkPolicyRequest;
import dev.slate.sdk.internal.Endpoint;
import dev.slate.sdk.internal.SignIn;
import dev.slate.sdk.internal.Transport;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A connection to Slate: the start of everything else.
 *
 * <p>Thread-safe, and meant to be shared. All calls block and end early, with {@link SlateException.Cancelled}, when
 * their thread is interrupted. Handles made from it, such as {@link Sandbox} and {@link Volume}, are thread-safe too
 * and stop working when it is closed; closing it ends no sandbox.
 */
public final class Slate implements AutoCloseable {

    private final Transport transport;
    private final Progress progress;

    private Slate(Transport transport, Progress progress) {
        this.transport = transport;
        this.progress = progress;
    }

    /**
     * Connects as the environment says.
     *
     * <p>{@code SLATE_ENDPOINT} names the install. The caller is {@code SLATE_TOKEN}, or {@code SLATE_CLIENT_ID} with
     * {@code SLATE_CLIENT_SECRET}, or whoever ran {@code slate login}, or on one host its owner.
     * {@code SLATE_ENVIRONMENT_ID} picks an environment, {@code SLATE_PROGRESS=off} silences progress.
     */
    public static Slate fromEnvironment() {
        return builder().build();
    }

    /** As {@link #fromEnvironment()}, with these variables in place of the process's own. */
    public static Slate fromEnvironment(Map<String, String> environment) {
        return new Builder(environment).build();
    }

    /** To say something that the environment does not. */
    public static Builder builder() {
        return new Builder(System.getenv());
    }

    /** Describes a sandbox; {@link SandboxBuilder#run()} starts it. */
    public SandboxBuilder sandbox() {
        return new SandboxBuilder(transport, progress);
    }

    public Sandboxes sandboxes() {
        return new Sandboxes(transport);
    }

    /** Asks the platform what a policy would decide, before any sandbox has it. Nothing is sent to the host. */
    public AccessAnswer testNetworkPolicy(NetworkPolicy policy, Access access) {
        var request = TestNetworkPolicyRequest.newBuilder()
                .setNetworkPolicy(policy.message())
                .setQuestion(access.message())
                .build();
        return AccessAnswer.of(transport
                .call(SandboxesGrpc.getTestNetworkPolicyMethod(), request)
                .getAnswer());
    }

    public Images images() {
        return new Images(transport, progress);
    }

    /** A handle; the volume need not exist yet. */
    public Volume volume(String name) {
        return new Volume(transport, name);
    }

    public Volumes volumes() {
        return new Volumes(transport);
    }

    public Secrets secrets() {
        return new Secrets(transport);
    }

    public Router router() {
        return new Router(transport);
    }

    public ServiceTokens serviceTokens() {
        return new ServiceTokens(transport);
    }

    /** Who the platform takes the caller for. */
    public Caller whoAmI() {
        var reply = transport.call(IdentityGrpc.getWhoAmIMethod(), WhoAmIRequest.getDefaultInstance());
        return new Caller(
                reply.getSubject(),
                reply.getDisplayName(),
                reply.getTeam(),
                reply.getProject(),
                reply.getEnvironmentId(),
                reply.getEnvironmentName(),
                reply.getRole(),
                List.copyOf(reply.getPermissionsList()));
    }

    public Configuration configuration() {
        var reply =
                transport.call(IdentityGrpc.getGetConfigurationMethod(), GetConfigurationRequest.getDefaultInstance());
        return new Configuration(transport.endpoint().uri(), reply.getPlatformHost(), reply.getVersion());
    }

    @Override
    public void close() {
        transport.close();
    }

    /** Optional parts of a connection. Not thread-safe. */
    public static final class Builder {

        private Optional<Endpoint> endpoint = Optional.empty();
        private Optional<String> token = Optional.empty();
        private Optional<String> environmentId = Optional.empty();
        private final Map<String, String> environment;
        private Progress progress;

        private Builder(Map<String, String> environment) {
            this.environment = environment;
            this.progress =
                    "off".equals(environment.get("SLATE_PROGRESS")) ? Progress.none() : Progress.standardError();
        }

        /** Both together replace all that the environment says about sign-in. */
        public Builder endpoint(URI endpoint, SecretValue token) {
            this.endpoint = Optional.of(new Endpoint(endpoint));
            this.token = Optional.of(token.reveal());
            return this;
        }

        public Builder environmentId(String environmentId) {
            this.environmentId = Optional.of(environmentId);
            return this;
        }

        public Builder progress(Progress progress) {
            this.progress = progress;
            return this;
        }

        public Slate build() {
            var signIn = endpoint.map(address -> new SignIn(address, token::orElseThrow, Optional.empty()))
                    .orElseGet(() -> SignIn.find(environment, SlateException::of));
            var transport = new Transport(
                    signIn.endpoint(), signIn.tokens(), environmentId.or(signIn::environmentId), SlateException::of);
            return new Slate(transport, progress);
        }
    }
}
