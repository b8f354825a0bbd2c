package dev.slate.cli.sandbox;

import dev.slate.sdk.SandboxInfo;
import dev.slate.sdk.VolumeMount;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A sandbox for people. */
final class SandboxText {

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
        rows.put("Network", sandbox.policy().toString());
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

    private static String mount(VolumeMount mount) {
        return mount.volume() + (mount.version() == 0 ? "" : "@" + mount.version()) + ":" + mount.path();
    }
}
