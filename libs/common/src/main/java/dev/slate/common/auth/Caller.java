package dev.slate.common.auth;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import io.grpc.Context;
import java.util.Optional;
import java.util.Set;

/** Who is calling, and on which environment. Immutable. */
public record Caller(String subject, String displayName, String role, String environment, Set<Permission> permissions) {
    /** Where the interceptors leave the caller of a gRPC call. */
    public static final Context.Key<Caller> CONTEXT = Context.key("slate-caller");

    public Caller {
        permissions = Set.copyOf(permissions);
    }

    /** The caller of the gRPC call that runs on this thread; without one the call is refused. */
    public static Caller current() {
        return Optional.ofNullable(CONTEXT.get())
                .orElseThrow(() -> new PlatformException(
                        ErrorCode.UNAUTHENTICATED, "no token: log in with `slate login`, or set SLATE_TOKEN"));
    }

    /** This caller, who must hold the permission. Who may create sandboxes or run commands in them may see them too. */
    public Caller require(Permission permission) {
        boolean implied = permission == Permission.DEPLOY_READ
                && (permissions.contains(Permission.DEPLOY_CREATE) || permissions.contains(Permission.DEPLOY_REDEPLOY));
        if (!implied && !permissions.contains(permission)) {
            throw new PlatformException(
                    ErrorCode.PERMISSION_DENIED,
                    "permission %s is missing for %s".formatted(permission.wireName(), displayName));
        }
        return this;
    }
}
