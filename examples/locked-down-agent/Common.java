import dev.slate.sdk.Image;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.SandboxBuilder;
import dev.slate.sdk.Slate;
import dev.slate.sdk.Volume;
import java.net.URI;
import java.nio.file.Path;

/** What every step shares: the image, the data, and the checks that each step prints after the agent answers. */
class Common {
    static final String VOLUME = "loan-agent-data";
    static final String QUESTION = "Which loan purpose has the highest default rate?";

    /** The folder of this example; the source launcher of the JDK says where it is. */
    private static final Path HERE =
            Path.of(System.getProperty("jdk.launcher.sourcefile", "./Common.java")).getParent();

    /** Packages are installed while the image is built, before any network policy applies. */
    static final Image IMAGE = Image.debianSlim()
            .aptInstall("python3-openai", "python3-pandas")
            .addLocalFile(HERE.resolve("agent.py"), "/app/agent.py");

    /** Puts the data file into the volume, which is made on first use. */
    static Volume uploadData(Slate slate) {
        Volume volume = slate.volume(VOLUME).createIfMissing();
        volume.put(HERE.resolve("data/loans.csv"), "loans.csv");
        return volume;
    }

    /** A sandbox with the agent in it, not started yet. */
    static SandboxBuilder agentSandbox(Slate slate) {
        return slate.sandbox()
                .name("loan-agent")
                .image(IMAGE)
                .env("API_HOST", Config.API_HOST)
                .env("ENVIRONMENT_ID", Config.ENVIRONMENT_ID)
                .env("MODEL", Config.MODEL)
                .env("KEY_SECRET", Config.KEY_SECRET);
    }

    /** Asks the agent and prints what it prints. */
    static void ask(Sandbox sandbox) {
        IO.print(sandbox.exec("python3", "/app/agent.py", QUESTION).orThrow().stdout());
        IO.println("");
    }

    /** Prints what becomes of a request to the open internet. */
    static void checkInternet(Sandbox sandbox) {
        String script = """
                import sys, urllib.request
                try:
                    print(urllib.request.urlopen(sys.argv[1], timeout=15).status)
                except Exception as error:
                    print(type(error).__name__, error)
                """;
        String outcome = sandbox.exec("python3", "-c", script, Config.PROBE_URL).orThrow().stdout();
        IO.println("Request to %s: %s".formatted(URI.create(Config.PROBE_URL).getHost(), outcome.strip()));
    }

    /** Prints what code in the sandbox sees of the gateway key. */
    static void checkKey(Sandbox sandbox) {
        String key = sandbox.exec("printenv", Config.KEY_SECRET).orThrow().stdout().strip();
        String seen = key.startsWith("__slate-secret-")
                ? "a placeholder: " + key
                : "the real key (%d characters)".formatted(key.length());
        IO.println("Key inside the sandbox: " + seen);
    }
}
