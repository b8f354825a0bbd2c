import dev.slate.sdk.NetworkPolicy;
import dev.slate.sdk.Slate;

/** Step 3: the real key stays out of the sandbox. */
void main() {
    try (var slate = Slate.fromEnvironment()) {
        var volume = Common.uploadData(slate);

        try (var sandbox = Common.agentSandbox(slate)
                .volume(volume.latest().mount("/data"))
                .network(NetworkPolicy.allowedHosts(Config.API_HOST))
                // A placeholder in the environment; the real key only on requests to the gateway.
                .credential(Config.API_HOST, Config.KEY_SECRET)
                .run()) {
            Common.ask(sandbox);
            Common.checkInternet(sandbox);
            Common.checkKey(sandbox);
        }
    }
}
