package dev.slate.controlplane.identity;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;

/** A row of {@code environment}. */
@Entity
@Table(name = "environment")
class EnvironmentRow {
    @Id
    String id = "";

    String team = "";
    String project = "";
    String name = "";

    @Column(name = "created_at")
    Instant createdAt = Instant.EPOCH;

    Environment toEnvironment() {
        return new Environment(id, team, project, name);
    }
}
