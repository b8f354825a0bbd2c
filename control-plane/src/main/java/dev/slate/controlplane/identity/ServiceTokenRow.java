package dev.slate.controlplane.identity;

import dev.slate.common.auth.Permission;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A row of {@code service_token}. */
@Entity
@Table(name = "service_token")
class ServiceTokenRow {
    @Id
    @Column(name = "client_id")
    String clientId = "";

    String environment = "";
    String description = "";
    String permissions = "";

    @Column(name = "secret_hash")
    String secretHash = "";

    @Column(name = "created_by")
    String createdBy = "";

    @Column(name = "created_at")
    Instant createdAt = Instant.EPOCH;

    @Column(name = "revoked_at")
    @Nullable
    Instant revokedAt;

    static ServiceTokenRow of(ServiceToken token, String secretHash, String createdBy) {
        ServiceTokenRow row = new ServiceTokenRow();
        row.clientId = token.clientId();
        row.environment = token.environment();
        row.description = token.description();
        row.permissions =
                token.permissions().stream().map(Permission::wireName).sorted().collect(Collectors.joining(" "));
        row.secretHash = secretHash;
        row.createdBy = createdBy;
        row.createdAt = token.createdAt();
        return row;
    }

    ServiceToken toToken() {
        return new ServiceToken(
                clientId,
                environment,
                description,
                Arrays.stream(permissions.split(" ")).map(Permission::named).collect(Collectors.toSet()),
                createdAt,
                revokedAt != null);
    }
}
