package dev.slate.controlplane.sandbox;

/** Why a sandbox ends, and one line about it for the user. */
public record End(Cause cause, String message) {
    private static final int LONGEST = 2000;

    public End {
        message = message.length() <= LONGEST ? message : message.substring(0, LONGEST);
    }

    /** For a sentence about a sandbox, for example {@code "lifetime: lifetime over"}. */
    String describe() {
        return message.isEmpty() ? cause.word() : cause.word() + ": " + message;
    }
}
