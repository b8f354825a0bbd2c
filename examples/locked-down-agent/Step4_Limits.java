import dev.slate.sdk.NetworkPolicy;
import dev.slate.sdk.Slate;
import java.time.Duration;

/** Step 4: a snapshot of the data, and limits. */
void main() {
    try (var slate = Slate.fromEnvironment()) {
        var volume = Common.uploadData(slate);
        // A specific version of a volume is an immutable snapshot.
        var snapshot = volume.at(volume.latestVersion());

        try (var sandbox = Common.agentSandbox(slate)
                .volume(snapshot.mount("/data"))
                .network(NetworkPolicy.allowedHosts(Config.API_HOST))
                .credential(Config.API_HOST, Config.KEY_SECRET)
                .cpu(1)
                .memory("2Gi")
                .lifetime(Duration.ofMinutes(15)) // the platform ends the sandbox, even if a script never finishes
                .run()) {
            Common.ask(sandbox);
            var added = sandbox.exec("sh", "-c", "echo A99999,vacation,1000,36,50000,700,0 >> /data/loans.csv");
            IO.println("Adding a row to /data/loans.csv inside the sandbox: " + (added.succeeded() ? "done" : "failed"));
            Common.checkInternet(sandbox);
            Common.checkKey(sandbox);
        }

        boolean saved = volume.readText("loans.csv").contains("A99999");
        IO.println("Row A99999 in the saved data: " + (saved ? "True" : "False"));
    }
}
