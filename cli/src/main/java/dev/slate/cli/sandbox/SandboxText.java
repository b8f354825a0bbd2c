package dev.slate.cli.sandbox;

import dev.slate.sdk.PolicyEntry;
import dev.slate.sdk.SandboxInfo;
import dev.slate.sdk.VolumeMount;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A sandbox for people. */
final class SandboxText {

    static final String OBSERVED =
            "OBSERVED ONLY: what this policy would refuse is let through and marked in the records";

    private SandboxText() {}

    static Map<String, String> rows(SandboxInfo sandbox) {
        var rows = new LinkedHashMap<String, String>();
        rows.put("Id", sandbox.id());
        rows.put("Name", sandbox.name());
        rows.put("State", sandbox.state().word());
        if (sandbox.state().ended()) {
            rows.put("Cause", sandbox.cause().word());
            rows.put("Message", sandbox.message());
        }
        rows.put("Created", sandbox.createdAt().toString());
        rows.put("Started", instant(sandbox.startedAt()));
        rows.put("Ended", instant(sandbox.endedAt()));
        rows.put("Expires", instant(sandbox.expiresAt()));
        rows.put("CPU", sandbox.cpuMillis() + "m");
        rows.put("Memory", (sandbox.memoryBytes() >> 20) + "Mi");
        rows.put("Network", network(sandbox));
        sandbox.policyEntries()
                .forEach(entry -> rows.merge("  " + entry.entry(), why(entry), (one, two) -> one + "; " + two));
        rows.put("Image", sandbox.imageDigest());
        rows.put("Volumes", sandbox.volumes().stream().map(SandboxText::mount).collect(Collectors.joining(", ")));
        sandbox.mountResults()
                .forEach(result ->
                        rows.put("Mount " + result.path(), result.outcome() + " version " + result.version()));
        return rows;
    }

    static String instant(Optional<Instant> instant) {
        return instant.map(Instant::toString).orElse("-");
    }

    static String detail(PolicyEntry entry) {
        return entry.detail() + entry.expiresAt().map(at -> " until " + at).orElse("");
    }

    private static String network(SandboxInfo sandbox) {
        var mode = sandbox.policy().isOpen() ? "open" : "allowlist";
        return mode + ", generation " + sandbox.policyGeneration()
                + (sandbox.policy().isObserving() ? ", " + OBSERVED : "");
    }

    private static String why(PolicyEntry entry) {
        return Stream.of(entry.kind().equals("denied") ? "never" : "", entry.source(), detail(entry))
                .filter(text -> !text.isBlank())
                .collect(Collectors.joining(", "));
    }

    private static String mount(VolumeMount mount) {
        return mount.volume() + (mount.version() == 0 ? "" : "@" + mount.version()) + ":" + mount.path();
    }
}
