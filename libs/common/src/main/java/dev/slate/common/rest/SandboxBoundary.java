package dev.slate.common.rest;

import dev.slate.common.auth.ProxyProof;
import dev.slate.common.error.ErrorCode;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps sandboxes away from the management API: a request that the egress proxy marks as coming from a sandbox reaches
 * the gateways and nothing else, whatever token it carries. Sees every request on the HTTP port, gRPC included.
 */
@Singleton
public class SandboxBoundary {
    private static final List<String> GATEWAYS = List.of("/v1/router", "/v1/mcp");
    /** Before every other filter and route. */
    private static final int PRIORITY = 10_000;

    private final ProxyProof proof;

    SandboxBoundary(ProxyProof proof) {
        this.proof = proof;
    }

    void register(@Observes Filters filters) {
        filters.register(this::check, PRIORITY);
    }

    private void check(RoutingContext routing) {
        HttpServerRequest request = routing.request();
        if (permits(
                routing.normalizedPath(),
                request.getHeader(ProxyProof.SANDBOX_HEADER),
                request.getHeader(ProxyProof.PROOF_HEADER))) {
            routing.next();
            return;
        }
        JsonObject error = new JsonObject()
                .put("code", ErrorCode.PERMISSION_DENIED.name())
                .put("message", "requests from a sandbox reach the gateways only, through the egress proxy");
        routing.response()
                .setStatusCode(ErrorCode.PERMISSION_DENIED.kind().httpStatus())
                .putHeader("content-type", "application/json")
                .end(new JsonObject().put("error", error).encode());
    }

    /** Whether a request may go on; one without the mark may, as it does not come from a sandbox. */
    boolean permits(String path, @Nullable String sandbox, @Nullable String presentedProof) {
        if (sandbox == null && presentedProof == null) {
            return true;
        }
        return sandbox != null
                && presentedProof != null
                && proof.matches(presentedProof)
                && GATEWAYS.stream().anyMatch(gateway -> path.equals(gateway) || path.startsWith(gateway + "/"));
    }
}
