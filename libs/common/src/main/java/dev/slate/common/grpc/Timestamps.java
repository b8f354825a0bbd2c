package dev.slate.common.grpc;

import com.google.protobuf.Timestamp;
import java.time.Instant;

/** Instants as gRPC messages carry them. */
public final class Timestamps {
    private Timestamps() {}

    /** The message for an instant. */
    public static Timestamp of(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }
}
