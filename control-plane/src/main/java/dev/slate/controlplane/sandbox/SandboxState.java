package dev.slate.controlplane.sandbox;

import java.time.Instant;

/** Where a sandbox is in its life. The methods are the only transitions. */
public sealed interface SandboxState {
    /** Not ended: can be asked to end. */
    sealed interface Live extends SandboxState {
        /** Somebody or something wants it to end. */
        default Terminating ending(End end) {
            return new Terminating(end);
        }
    }

    /** On its way to running. */
    sealed interface Coming extends Live {
        /** Its image is being built. */
        default Building building() {
            return new Building();
        }

        /** Its image is there. */
        default Starting starting(String imageDigest) {
            return new Starting(imageDigest);
        }
    }

    /** Written down, nothing done yet. */
    record Pending() implements Coming {}

    /** Its image is being built. */
    record Building() implements Coming {}

    /** It is being put together from an image. */
    record Starting(String imageDigest) implements Coming {
        /** Its agent answers. */
        public Running ready(Instant now) {
            return new Running(imageDigest, now);
        }
    }

    /** Commands work. */
    record Running(String imageDigest, Instant startedAt) implements Live {}

    /** It is being taken apart; the first wish counts. */
    record Terminating(End end) implements Live {
        @Override
        public Terminating ending(End later) {
            return this;
        }

        /** No process is left and its volumes are committed. */
        public Ended ended(Instant now) {
            return end.cause().isFailure() ? new Failed(end, now) : new Terminated(end, now);
        }
    }

    /** Over, for ever. */
    sealed interface Ended extends SandboxState {
        End end();

        Instant endedAt();
    }

    /** Ended as it should. */
    record Terminated(End end, Instant endedAt) implements Ended {}

    /** Ended although nobody wanted it to. */
    record Failed(End end, Instant endedAt) implements Ended {}

    /** The word that users see, for example {@code RUNNING}. */
    default String word() {
        return switch (this) {
            case Pending _ -> "PENDING";
            case Building _ -> "BUILDING";
            case Starting _ -> "STARTING";
            case Running _ -> "RUNNING";
            case Terminating _ -> "TERMINATING";
            case Terminated _ -> "TERMINATED";
            case Failed _ -> "FAILED";
        };
    }
}
