package dev.slate.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The static agent program for the processor of this machine. Immutable and thread-safe. */
public final class AgentBinary {
    private final byte[] content;
    private final String version;

    private AgentBinary(byte[] content) {
        this.content = content;
        this.version = sha256(content);
    }

    /** Reads the program from this jar. */
    public static AgentBinary load() {
        String resource = "slate-agent-" + System.getProperty("os.arch");
        try (InputStream input = AgentBinary.class.getResourceAsStream(resource)) {
            if (input == null) {
                throw new IllegalStateException("no agent for this processor: " + resource);
            }
            return new AgentBinary(input.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + resource, e);
        }
    }

    /** The SHA-256 of the program in hex: equal versions are equal programs. */
    public String version() {
        return version;
    }

    /** Copies the program so that nobody ever sees a partial file, and makes it executable for everyone. */
    public void copyTo(Path target) {
        try {
            Path folder = target.toAbsolutePath().getParent();
            Files.createDirectories(folder);
            Path temporary = Files.createTempFile(folder, ".slate-agent", ".tmp");
            try {
                Files.write(temporary, content);
                Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
                Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy the agent to " + target, e);
        }
    }

    private static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
