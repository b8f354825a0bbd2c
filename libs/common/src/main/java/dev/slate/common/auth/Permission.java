package dev.slate.common.auth;

import dev.slate.common.error.PlatformException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What a caller may do. The names are what tokens carry and users see. */
public enum Permission {
    /** See sandboxes, images, volumes, logs. */
    DEPLOY_READ("deploy.read"),
    /** Create and end sandboxes, build images, create and write volumes. */
    DEPLOY_CREATE("deploy.create"),
    /** Run commands and move files in sandboxes, delete volumes. */
    DEPLOY_REDEPLOY("deploy.redeploy"),
    /** See the names of secrets. */
    SECRETS_LIST("secrets.list"),
    /** Set and delete secrets. */
    SECRETS_WRITE("secrets.write"),
    /** Read the values of secrets. */
    SECRETS_DECRYPT("secrets.decrypt"),
    /** See models, keys and connections of the model gateway. */
    ROUTER_READ("router.read"),
    /** Make and revoke gateway keys, change connections. */
    ROUTER_WRITE("router.write"),
    /** Make and revoke service tokens. */
    IDENTITY_WRITE("identity.write");

    private final String wireName;

    Permission(String wireName) {
        this.wireName = wireName;
    }

    /** The name in tokens and messages, for example {@code deploy.create}. */
    public String wireName() {
        return wireName;
    }

    /** The permission with a name; an unknown one is refused with the list of known ones. */
    public static Permission named(String wireName) {
        return Arrays.stream(values())
                .filter(permission -> permission.wireName.equals(wireName))
                .findAny()
                .orElseThrow(() -> PlatformException.invalid(
                        "permission",
                        wireName,
                        Arrays.stream(values()).map(Permission::wireName).collect(Collectors.joining(", "))));
    }
}
