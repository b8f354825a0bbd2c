package dev.slate.cli.sandbox;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.cli.common.Typed;
import dev.slate.cli.image.ImageOptions;
import dev.slate.cli.policy.PolicyOptions;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.SandboxBuilder;
import dev.slate.sdk.Secret;
import dev.slate.sdk.Slate;
import dev.slate.sdk.VolumeMount;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code slate sandbox create}. */
@Command(
        name = "create",
        description = "Start a sandbox and print its id; with a command, run that and pass its exit status on.")
final class CreateCommand extends ApiCommand {

    private static final Pattern MOUNT = Pattern.compile("([^@:]+)(?:@(\\d+))?:(/.*)");

    @Mixin
    private final ImageOptions image = new ImageOptions();

    @Option(
            names = {"-n", "--name"},
            paramLabel = "NAME",
            description = "Unique among live sandboxes.")
    private String name = "";

    @Option(names = "--cpu", paramLabel = "CPUS", description = "For example 1, 0.5 or 500m.")
    private String cpu = "";

    @Option(names = "--memory", paramLabel = "SIZE", description = "For example 2Gi.")
    private String memory = "";

    @Option(names = "--pids", paramLabel = "N", description = "The most processes and threads.")
    private int pids;

    @Option(names = "--lifetime", paramLabel = "TIME", description = "For example 900s, 15m or 8h; default 1h.")
    private String lifetime = "";

    @Option(names = "--env", paramLabel = "NAME=VALUE", description = "Set a variable.")
    private List<String> env = new ArrayList<>();

    @Option(
            names = "--secret-env",
            paramLabel = "[NAME=]SECRET",
            description = "Put a secret's real value into a variable.")
    private List<String> secretEnv = new ArrayList<>();

    @Option(
            names = "--credential",
            paramLabel = "HOST=SECRET",
            description = "Give requests to a host a secret that the sandbox never sees.")
    private List<String> credentials = new ArrayList<>();

    @Option(
            names = "--volume",
            paramLabel = "NAME[@VERSION]:/PATH",
            description = "Mount a volume; without a version, writes are kept.")
    private List<String> volumes = new ArrayList<>();

    @Mixin
    private final PolicyOptions policy = new PolicyOptions();

    @Option(names = "--workdir", paramLabel = "PATH", description = "Where commands start.")
    private String workdir = "";

    @Option(names = "--tag", paramLabel = "NAME=VALUE", description = "Label the sandbox.")
    private List<String> tags = new ArrayList<>();

    @Option(names = "--rm", description = "End the sandbox after the command.")
    private boolean remove;

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "After --: what to run in the sandbox.")
    private List<String> command = new ArrayList<>();

    @Override
    protected int run(Slate slate, Output output) {
        if (remove && command.isEmpty()) {
            throw new IllegalArgumentException("--rm: no command (expected: -- COMMAND at the end)");
        }
        var sandbox = describe(slate.sandbox()).run();
        if (command.isEmpty()) {
            var info = sandbox.info();
            if (!output.isJson()) {
                output.err().println("network: " + info.policy());
                output.err().flush();
            }
            output.value(info, sandbox.id());
            return 0;
        }
        try {
            return Foreground.run(sandbox.command(command.toArray(String[]::new)), () -> terminateIfAsked(sandbox));
        } finally {
            terminateIfAsked(sandbox);
        }
    }

    private void terminateIfAsked(Sandbox sandbox) {
        if (remove) {
            sandbox.terminate();
        }
    }

    private SandboxBuilder describe(SandboxBuilder builder) {
        if (image.isDigest()) {
            builder.imageDigest(image.digest());
        } else {
            builder.image(image.image());
        }
        limits(builder);
        env.forEach(text -> {
            var pair = Typed.pair("--env", text);
            builder.env(pair.getKey(), pair.getValue());
        });
        secretEnv.forEach(text -> {
            var pair = Typed.pair("--secret-env", text.contains("=") ? text : text + "=" + text);
            builder.env(pair.getKey(), Secret.named(pair.getValue()));
        });
        tags.forEach(text -> {
            var pair = Typed.pair("--tag", text);
            builder.tag(pair.getKey(), pair.getValue());
        });
        volumes.forEach(text -> builder.volume(mount(text)));
        network(builder);
        return builder;
    }

    private void limits(SandboxBuilder builder) {
        if (!name.isEmpty()) {
            builder.name(name);
        }
        if (!cpu.isEmpty()) {
            builder.cpu(cpu);
        }
        if (!memory.isEmpty()) {
            builder.memory(memory);
        }
        if (pids != 0) {
            builder.pids(pids);
        }
        if (!lifetime.isEmpty()) {
            builder.lifetime(Typed.duration("--lifetime", lifetime));
        }
        if (!workdir.isEmpty()) {
            builder.workdir(workdir);
        }
    }

    private void network(SandboxBuilder builder) {
        policy.policy().ifPresent(builder::network);
        credentials.forEach(text -> {
            var pair = Typed.pair("--credential", text);
            builder.credential(pair.getKey(), pair.getValue());
        });
    }

    private static VolumeMount mount(String text) {
        var matcher = MOUNT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("--volume: " + text + " (expected: NAME[@VERSION]:/absolute/path)");
        }
        var version = matcher.group(2) == null ? 0 : Long.parseLong(matcher.group(2));
        return new VolumeMount(matcher.group(1), version, matcher.group(3));
    }
}
