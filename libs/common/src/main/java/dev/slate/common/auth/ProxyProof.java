package dev.slate.common.auth;

import dev.slate.common.config.HomeConfig;
import dev.slate.common.secret.SecretValue;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * Marks the requests that the egress proxy forwards for a sandbox. The proxy drops both headers from what the sandbox
 * sends and sets its own; the platform believes {@link #SANDBOX_HEADER} only beside a {@link #PROOF_HEADER} that
 * {@link #matches}. The proof is shared through {@code <home>/keys/proxy-proof}. Thread-safe.
 */
@Singleton
public class ProxyProof {
    /** Names the sandbox that a request comes from. */
    public static final String SANDBOX_HEADER = "x-slate-sandbox-id";
    /** Carries {@link #value}. */
    public static final String PROOF_HEADER = "x-slate-proxy-proof";

    private final SecretValue value;

    @Inject
    ProxyProof(HomeConfig config) {
        this(config.home());
    }

    /** Loads the proof of an install, or makes it. */
    public ProxyProof(Path home) {
        byte[] key = KeyFile.loadOrCreate(home, "proxy-proof").reveal();
        this.value = SecretValue.of(HexFormat.of().formatHex(key));
    }

    /** What the proxy sends. */
    public SecretValue value() {
        return value;
    }

    /** Whether a request brought the proof; compares in constant time. */
    public boolean matches(String presented) {
        return value.equals(SecretValue.of(presented));
    }
}
