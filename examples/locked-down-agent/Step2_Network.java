import dev.slate.sdk.NetworkPolicy;
import dev.slate.sdk.Secret;
import dev.slate.sdk.Slate;

/** Step 2: only the model gateway can be reached. */
void main() {
    try (var slate = Slate.fromEnvironment()) {
        var volume = Common.uploadData(slate);

        try (var sandbox = Common.agentSandbox(slate)
                .volume(volume.latest().mount("/data"))
                .env(Config.KEY_SECRET, Secret.named(Config.KEY_SECRET))
                .network(NetworkPolicy.allowedHosts(Config.API_HOST))
                .run()) {
            Common.ask(sandbox);
            Common.checkInternet(sandbox);
            Common.checkKey(sandbox);
        }
    }
}
