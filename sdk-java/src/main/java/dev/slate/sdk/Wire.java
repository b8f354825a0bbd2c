package dev.slate.sdk;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import java.time.Instant;
import java.util.Optional;

/** Between times of the wire and of Java. */
final class Wire {

    private Wire() {}

    static Instant instant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }

    static Optional<Instant> optional(boolean present, Timestamp timestamp) {
        return present ? Optional.of(instant(timestamp)) : Optional.empty();
    }

    static Duration duration(java.time.Duration duration) {
        return Duration.newBuilder()
                .setSeconds(duration.getSeconds())
                .setNanos(duration.getNano())
                .build();
    }

    static java.time.Duration duration(Duration duration) {
        return java.time.Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }
}
