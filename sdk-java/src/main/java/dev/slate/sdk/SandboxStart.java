package dev.slate.sdk;

import dev.slate.api.sandbox.v1.CreateSandboxRequest;
import dev.slate.api.sandbox.v1.SandboxesGrpc;
import dev.slate.api.sandbox.v1.WatchSandboxRequest;
import dev.slate.sdk.internal.Transport;

/** Creates a sandbox and waits for it; one that this thread gives up on is terminated. */
final class SandboxStart {

    private final Transport transport;
    private final Progress progress;

    SandboxStart(Transport transport, Progress progress) {
        this.transport = transport;
        this.progress = progress;
    }

    Sandbox run(CreateSandboxRequest request) {
        var name = request.getSpec().getName();
        progress.phase("starting sandbox" + (name.isEmpty() ? "" : " " + name));
        try {
            var created = transport
                    .call(SandboxesGrpc.getCreateSandboxMethod(), request)
                    .getSandbox();
            var sandbox = new Sandbox(transport, created.getId(), name);
            try {
                awaitRunning(SandboxInfo.of(created));
            } catch (SlateException.SandboxFailed e) {
                throw e;
            } catch (RuntimeException e) {
                terminate(sandbox, e);
                throw e;
            }
            return sandbox;
        } finally {
            progress.done();
        }
    }

    private void awaitRunning(SandboxInfo created) {
        var reconnect = new Reconnect();
        var current = created;
        while (current.state() != SandboxState.RUNNING) {
            if (current.state().ended() || current.state() == SandboxState.TERMINATING) {
                throw new SlateException.SandboxFailed(current);
            }
            current = reconnect.call(() -> watch(created));
        }
    }

    private SandboxInfo watch(SandboxInfo created) {
        var builds = new BuildWatch(progress);
        var last = created;
        var request = WatchSandboxRequest.newBuilder().setSandbox(created.id()).build();
        try (var changes = transport.stream(SandboxesGrpc.getWatchSandboxMethod(), request)) {
            while (changes.hasNext()) {
                var change = changes.next();
                if (change.hasBuild()) {
                    builds.accept(change.getBuild());
                } else if (change.hasSandbox()) {
                    last = SandboxInfo.of(change.getSandbox());
                    if (last.state() == SandboxState.RUNNING) {
                        changes.drain();
                        return last;
                    }
                }
            }
        }
        return last;
    }

    private static void terminate(Sandbox sandbox, RuntimeException reason) {
        // An interrupted thread cannot make calls; the flag comes back afterwards.
        var interrupted = Thread.interrupted();
        try {
            sandbox.terminate();
        } catch (RuntimeException e) {
            reason.addSuppressed(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
