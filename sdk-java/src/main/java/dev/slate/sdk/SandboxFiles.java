package dev.slate.sdk;

import dev.slate.api.exec.v1.FilesGrpc;
import dev.slate.api.exec.v1.ListFilesRequest;
import dev.slate.api.exec.v1.MakeDirectoryRequest;
import dev.slate.api.exec.v1.MoveFileRequest;
import dev.slate.api.exec.v1.RemoveFileRequest;
import dev.slate.api.exec.v1.StatFileRequest;
import dev.slate.sdk.internal.Http;
import dev.slate.sdk.internal.LocalTree;
import dev.slate.sdk.internal.Transport;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** Files inside a sandbox, by absolute path. Thread-safe. */
public final class SandboxFiles {

    private static final int DEFAULT_MODE = 0644;

    private final Transport transport;
    private final String sandbox;

    SandboxFiles(Transport transport, String sandbox) {
        this.transport = transport;
        this.sandbox = sandbox;
    }

    /** Copies a local file in; it stays executable when it is. Readers see the old content or the new one. */
    public void put(Path local, String path) {
        try {
            put(path, BodyPublishers.ofFile(local), LocalTree.mode(local));
        } catch (FileNotFoundException e) {
            throw new UncheckedIOException("cannot read " + local, e);
        }
    }

    public void putBytes(String path, byte[] content) {
        put(path, BodyPublishers.ofByteArray(content), DEFAULT_MODE);
    }

    public void putText(String path, String content) {
        putBytes(path, content.getBytes(StandardCharsets.UTF_8));
    }

    /** Copies a file out. */
    public void get(String path, Path local) {
        try (var in = open(path)) {
            Files.copy(in, local, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy " + path + " to " + local, e);
        }
    }

    public byte[] read(String path) {
        try (var in = open(path)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }

    public String readText(String path) {
        return new String(read(path), StandardCharsets.UTF_8);
    }

    /** The caller closes the stream. */
    public InputStream open(String path) {
        return transport.http().get(address(path));
    }

    public SandboxFile stat(String path) {
        var request =
                StatFileRequest.newBuilder().setSandbox(sandbox).setPath(path).build();
        return SandboxFile.of(
                transport.call(FilesGrpc.getStatFileMethod(), request).getFile());
    }

    /** What is directly in a directory. */
    public List<SandboxFile> list(String path) {
        var request =
                ListFilesRequest.newBuilder().setSandbox(sandbox).setPath(path).build();
        return transport.call(FilesGrpc.getListFilesMethod(), request).getFilesList().stream()
                .map(SandboxFile::of)
                .toList();
    }

    /** A file, a link or an empty directory. */
    public void remove(String path) {
        remove(path, false);
    }

    /** A directory with all that is in it. */
    public void removeTree(String path) {
        remove(path, true);
    }

    /** Makes parents too. */
    public void mkdir(String path) {
        var request = MakeDirectoryRequest.newBuilder()
                .setSandbox(sandbox)
                .setPath(path)
                .build();
        transport.call(FilesGrpc.getMakeDirectoryMethod(), request);
    }

    public void move(String from, String to) {
        var request = MoveFileRequest.newBuilder()
                .setSandbox(sandbox)
                .setFrom(from)
                .setTo(to)
                .build();
        transport.call(FilesGrpc.getMoveFileMethod(), request);
    }

    private void remove(String path, boolean recursive) {
        var request = RemoveFileRequest.newBuilder()
                .setSandbox(sandbox)
                .setPath(path)
                .setRecursive(recursive)
                .build();
        transport.call(FilesGrpc.getRemoveFileMethod(), request);
    }

    private void put(String path, BodyPublisher body, int mode) {
        transport.http().put(address(path) + "&mode=" + String.format("%04o", mode), body);
    }

    private String address(String path) {
        return "/v1/sandboxes/" + Http.encode(sandbox) + "/files?path=" + Http.encode(path);
    }
}
