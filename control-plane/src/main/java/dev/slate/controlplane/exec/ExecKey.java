package dev.slate.controlplane.exec;

import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.runtime.SandboxId;
import java.util.regex.Pattern;

/** Names a command: its sandbox, and the id that the client chose for it. */
record ExecKey(SandboxId sandbox, String id) {
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,128}");

    ExecKey {
        if (!ID.matcher(id).matches()) {
            throw PlatformException.invalid("exec_id", id, "1 to 128 letters, digits, '-', '_', '.'");
        }
    }
}
