import dev.slate.sdk.Slate;

/** Step 5: each step ended its own sandbox; this one deletes the data. */
void main() {
    try (var slate = Slate.fromEnvironment()) {
        slate.volume(Common.VOLUME).delete();
        IO.println("Deleted volume %s.".formatted(Common.VOLUME));
    }
}
