import dev.slate.sdk.Secret;
import dev.slate.sdk.Slate;

/** Step 1: the agent with no restrictions. */
void main() {
    try (var slate = Slate.fromEnvironment()) {
        var volume = Common.uploadData(slate);

        try (var sandbox = Common.agentSandbox(slate)
                .volume(volume.latest().mount("/data"))
                // The real gateway key, as an environment variable the agent can read.
                .env(Config.KEY_SECRET, Secret.named(Config.KEY_SECRET))
                .run()) {
            Common.ask(sandbox);
            Common.checkInternet(sandbox);
            Common.checkKey(sandbox);
        }
    }
}
