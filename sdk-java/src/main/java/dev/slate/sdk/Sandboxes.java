package dev.slate.sdk;

import dev.slate.api.sandbox.v1.GetSandboxRequest;
import dev.slate.api.sandbox.v1.ListSandboxesRequest;
import dev.slate.api.sandbox.v1.SandboxesGrpc;
import dev.slate.sdk.internal.Transport;
import java.util.List;

/** The sandboxes of the environment. Thread-safe. */
public final class Sandboxes {

    private final Transport transport;

    Sandboxes(Transport transport) {
        this.transport = transport;
    }

    /** Those that have not ended. */
    public List<SandboxInfo> list() {
        return list(false);
    }

    /** Ended ones too. */
    public List<SandboxInfo> listAll() {
        return list(true);
    }

    /** A handle on an existing sandbox, by id, or by name while it lives. */
    public Sandbox get(String idOrName) {
        var request = GetSandboxRequest.newBuilder().setSandbox(idOrName).build();
        var sandbox =
                transport.call(SandboxesGrpc.getGetSandboxMethod(), request).getSandbox();
        return new Sandbox(transport, sandbox.getId(), sandbox.getSpec().getName());
    }

    private List<SandboxInfo> list(boolean all) {
        return Pages.all(token -> {
            var request = ListSandboxesRequest.newBuilder()
                    .setAll(all)
                    .setPageToken(token)
                    .build();
            var reply = transport.call(SandboxesGrpc.getListSandboxesMethod(), request);
            return new Pages.Page<>(
                    reply.getSandboxesList().stream().map(SandboxInfo::of).toList(), reply.getNextPageToken());
        });
    }
}
