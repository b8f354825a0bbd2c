package dev.slate.standalone;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server that belongs to one install: its data lives under {@code <home>/postgres}, it listens on loopback
 * only, and it asks for a password that only the owner of the home can read. A server that an ended platform left
 * running is stopped first.
 */
final class EmbeddedDatabase implements AutoCloseable {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

    private final Path home;
    private final Path folder;
    private final Path data;
    private final Path passwordFile;
    private final boolean initialised;
    private final String password;
    private final int port;
    private @Nullable EmbeddedPostgres server;

    private EmbeddedDatabase(Path home) throws IOException {
        this.home = home;
        this.folder = home.resolve("postgres");
        this.data = folder.resolve("data");
        this.passwordFile = folder.resolve("password");
        this.initialised = Files.exists(passwordFile);
        this.password = initialised ? Files.readString(passwordFile).strip() : newPassword();
        this.port = freePort();
    }

    /** The server of a home, whose address is known before it runs. */
    static EmbeddedDatabase of(Path home) throws IOException {
        return new EmbeddedDatabase(home);
    }

    /** Starts the server; the first start initialises it. Not to be called again. */
    void start() throws IOException, SQLException {
        stopLeftover(home);
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        if (!initialised) {
            deleteHalfInitialised(data);
        }
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setPgBinaryResolver(EmbeddedDatabase::binaries)
                .setOverrideWorkingDirectory(folder.toFile())
                .setDataDirectory(data)
                .setPort(port)
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setPGStartupWait(Duration.ofSeconds(60))
                // The library is made for tests and switches durability off.
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "''")
                .setServerConfig("max_connections", "60")
                .setServerConfig("statement_timeout", "60000")
                .setOutputRedirector(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("server.log").toFile()))
                .setErrorRedirector(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("server.log").toFile()));
        if (initialised) {
            builder.setConnectConfig("password", password);
        }
        EmbeddedPostgres started = builder.start();
        server = started;
        if (!initialised) {
            demandPassword(started);
        }
    }

    /** Stops the server that a killed platform left running on this home, if there is one. */
    static void stopLeftover(Path home) throws IOException {
        Path data = home.resolve("postgres/data");
        Path pidFile = data.resolve("postmaster.pid");
        if (!Files.exists(pidFile)) {
            return;
        }
        List<String> lines = Files.readAllLines(pidFile);
        Optional<ProcessHandle> leftover = lines.isEmpty() ? Optional.empty() : postmaster(lines.getFirst(), data);
        if (leftover.isEmpty()) {
            Files.deleteIfExists(pidFile);
            return;
        }
        // SIGINT is PostgreSQL's fast shutdown: sessions are ended, nothing that was committed is lost.
        signal("INT", leftover.get());
        try {
            leftover.get().onExit().get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the old database server stops", interrupted);
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException _) {
            signal("QUIT", leftover.get());
        }
    }

    DatabaseAddress address() {
        return new DatabaseAddress("127.0.0.1:" + port + "/postgres", "postgres", password);
    }

    @Override
    public void close() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    private void demandPassword(EmbeddedPostgres started) throws IOException, SQLException {
        try (Connection connection = started.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER ROLE postgres PASSWORD '" + password + "'");
            Files.writeString(data.resolve("pg_hba.conf"), "host all all 127.0.0.1/32 scram-sha-256\n");
            statement.execute("SELECT pg_reload_conf()");
        }
        Path temporary = Files.createTempFile(
                folder,
                ".password",
                "",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(temporary, password);
        Files.move(temporary, passwordFile, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** What the library finds itself as well, after half a second of running programs that tell distributions apart. */
    private static InputStream binaries(String system, String machine) throws IOException {
        boolean common = machine.matches("amd64|x86_64") && !Files.exists(Path.of("/etc/alpine-release"));
        InputStream archive = common ? EmbeddedPostgres.class.getResourceAsStream("/postgres-linux-x86_64.txz") : null;
        return archive == null ? DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(system, machine) : archive;
    }

    private static void deleteHalfInitialised(Path data) throws IOException {
        if (Files.exists(data)) {
            try (var files = Files.walk(data)) {
                for (Path file :
                        files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static Optional<ProcessHandle> postmaster(String pid, Path data) {
        try {
            long number = Long.parseLong(pid.strip());
            byte[] command = Files.readAllBytes(Path.of("/proc/" + number + "/cmdline"));
            boolean ours = new String(command, StandardCharsets.UTF_8).contains(data.toString());
            return ours ? ProcessHandle.of(number) : Optional.empty();
        } catch (NumberFormatException | IOException _) {
            return Optional.empty();
        }
    }

    private static void signal(String name, ProcessHandle process) throws IOException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start();
    }

    private static String newPassword() {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
