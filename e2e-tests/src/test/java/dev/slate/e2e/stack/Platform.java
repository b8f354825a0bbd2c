package dev.slate.e2e.stack;

import dev.slate.sdk.Image;
import dev.slate.sdk.Progress;
import dev.slate.sdk.SecretValue;
import dev.slate.sdk.Slate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The platform under test: a process of its own with its own home, ports and subnet, started and stopped by the command
 * line as a user would. Thread-safe.
 */
public final class Platform implements AutoCloseable {
    /** Debian 13 with Python: what most tests run in. */
    public static final Image PYTHON = Image.debianSlim();

    private static final Path ROOT = root();
    private static final Pattern MIRROR = Pattern.compile("https?://([^/\\s]+)/");

    private final Path folder = ROOT.resolve("e2e-tests/target/e2e");
    private final Path home = folder.resolve("home");
    private final int port;
    private final Outside outside;

    Platform(int port, String subnetPrefix, Outside outside) {
        this.port = port;
        this.outside = outside;
        this.subnet = subnetPrefix + ".0.0/16";
    }

    private final String subnet;

    /** What a command of the command line gave. */
    public record Result(int exitCode, String stdout, String stderr) {
        /** This result, which must be a success. */
        public Result orThrow() {
            if (exitCode != 0) {
                throw new AssertionError("exit code " + exitCode + "\n" + stdout + "\n" + stderr);
            }
            return this;
        }
    }

    /** Starts it with {@code slate up}. */
    public void up() {
        cli("up", "--port", Integer.toString(port)).orThrow();
    }

    /** Stops it with {@code slate down}. */
    public void down() {
        cli("down").orThrow();
    }

    /** A client with the rights of the owner. */
    public Slate slate() {
        return client(SecretValue.of(read(home.resolve("owner-token")).strip()));
    }

    /** A client with some other token. */
    public Slate client(SecretValue token) {
        return Slate.builder()
                .endpoint(endpoint(), token)
                .progress(Progress.none())
                .build();
    }

    /** Where the API answers. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** The folder with all state of this install. */
    public Path home() {
        return home;
    }

    /** The servers that sandboxes may talk to. */
    public Outside outside() {
        return outside;
    }

    /** The repository. */
    public static Path repository() {
        return ROOT;
    }

    /** The process id of the platform. */
    public long pid() {
        return Long.parseLong(read(home.resolve("run/platform.pid")).strip().split(" ", 2)[0]);
    }

    /** Runs the command line to its end, with nothing on its standard input. */
    public Result cli(String... arguments) {
        return cli(Map.of(), "", arguments);
    }

    /** Runs the command line to its end. */
    public Result cli(Map<String, String> environment, String stdin, String... arguments) {
        try {
            return toItsEnd(start(environment, arguments), stdin, arguments);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Runs the command line on a terminal of its own, where terminal.py types in one of its ways. */
    public Result onTerminal(String way, String... arguments) {
        try {
            String typist =
                    ROOT.resolve("e2e-tests/src/test/resources/terminal.py").toString();
            return toItsEnd(start(List.of("python3", typist, way), Map.of(), arguments), "", arguments);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Result toItsEnd(Process process, String stdin, String... arguments) throws IOException {
        try {
            CompletableFuture<String> stdout = CompletableFuture.supplyAsync(() -> text(process.getInputStream()));
            CompletableFuture<String> stderr = CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
            try (var in = process.getOutputStream()) {
                in.write(stdin.getBytes(StandardCharsets.UTF_8));
            }
            if (!process.waitFor(15, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new AssertionError("slate " + String.join(" ", arguments) + " does not end: " + stderr.join());
            }
            return new Result(process.exitValue(), stdout.join(), stderr.join());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** Starts the command line; its streams are pipes. */
    public Process start(Map<String, String> environment, String... arguments) throws IOException {
        return start(List.of(), environment, arguments);
    }

    private Process start(List<String> prefix, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Dslate.root=" + ROOT,
                "-cp",
                System.getProperty("java.class.path"),
                "dev.slate.cli.Main"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("SLATE_") || name.endsWith("_API_KEY"));
        builder.environment().putAll(settings());
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** What is left of this install in the kernel: processes, namespaces, interfaces, mounts, rules and groups. */
    public Set<String> leftovers() {
        Set<String> left = new TreeSet<>();
        String tag = tag();
        lines(Shell.run("ip", "netns", "list"))
                .filter(line -> line.contains(tag))
                .forEach(line -> left.add("netns " + line));
        lines(Shell.run("ip", "-brief", "link"))
                .filter(line -> line.startsWith("sl" + tag))
                .forEach(line -> left.add("link " + line));
        lines(Shell.run("ip", "rule", "list"))
                .filter(line -> line.contains(tag))
                .forEach(line -> left.add("rule " + line));
        lines(Shell.run("nft", "list", "tables"))
                .filter(line -> line.contains("slate_" + tag))
                .forEach(line -> left.add(line));
        lines(read(Path.of("/proc/self/mounts")))
                .filter(line -> line.contains(home + "/"))
                .forEach(line -> left.add("mount " + line));
        lines(Shell.run("ps", "-eo", "pid,args"))
                .filter(line -> line.contains(home + "/") && !line.contains("ps -eo"))
                .forEach(line -> left.add("process " + line));
        lines(Shell.run("find", "/sys/fs/cgroup", "-type", "d", "-name", "slate-" + tag))
                .forEach(line -> left.add("cgroup " + line));
        return left;
    }

    @Override
    public void close() {
        cli("down", "--purge").orThrow();
    }

    /** Four hexadecimal digits that are in every name this install gives to things of the kernel. */
    private String tag() {
        return dev.slate.runsc.InstanceTag.of(home).value();
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        settings.put("SLATE_HOME", home.toString());
        settings.put("XDG_CONFIG_HOME", folder.resolve("config").toString());
        settings.put("SLATE_ENDPOINT", endpoint().toString());
        settings.put("SLATE_NETWORK_SUBNET", subnet);
        settings.put("SLATE_EGRESS_PRIVATE_HOSTS", String.join(",", Outside.NAMES));
        settings.put("SLATE_EGRESS_EXTRA_CA_FILE", outside.authority().toString());
        settings.put("SLATE_JAVA_OPTIONS", "-Djdk.net.hosts.file=" + hostsFile());
        return settings;
    }

    /** Names of the outside, and the package mirrors that image builds need. */
    private Path hostsFile() {
        try {
            StringBuilder hosts = new StringBuilder("127.0.0.1 localhost\n");
            Outside.NAMES.forEach(
                    name -> hosts.append(name.equals(Outside.GRPC) ? outside.grpcAddress() : outside.address())
                            .append(' ')
                            .append(name)
                            .append('\n'));
            hosts.append(Intranet.ADDRESS).append(' ').append(Intranet.NAME).append('\n');
            for (String mirror : mirrors()) {
                hosts.append(InetAddress.getByName(mirror).getHostAddress())
                        .append(' ')
                        .append(mirror)
                        .append('\n');
            }
            Files.createDirectories(folder);
            return Files.writeString(folder.resolve("hosts"), hosts);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Set<String> mirrors() throws IOException {
        Set<String> hosts = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("/etc/apt"), 2)) {
            for (Path file : files.filter(
                            path -> path.getFileName().toString().matches(".*sources(\\.list)?|.*\\.list"))
                    .filter(Files::isRegularFile)
                    .toList()) {
                MIRROR.matcher(Files.readString(file)).results().forEach(match -> hosts.add(match.group(1)));
            }
        }
        hosts.removeIf(host -> !resolves(host));
        return hosts;
    }

    private static boolean resolves(String host) {
        try {
            InetAddress.getByName(host);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private static Path root() {
        Path here = Path.of("").toAbsolutePath();
        return Stream.iterate(here, Objects::nonNull, Path::getParent)
                .filter(folder -> Files.exists(folder.resolve("api-proto")))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no repository above " + here));
    }

    private static Stream<String> lines(String text) {
        return text.lines().filter(line -> !line.isBlank());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String text(java.io.InputStream in) {
        try (in) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
