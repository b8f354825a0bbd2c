package dev.slate.sdk;

import dev.slate.api.exec.v1.ChangeFileModeRequest;
import dev.slate.api.exec.v1.FilesGrpc;
import dev.slate.api.exec.v1.ListFilesRequest;
import dev.slate.api.exec.v1.MakeDirectoryRequest;
import dev.slate.api.exec.v1.MoveFileRequest;
import dev.slate.api.exec.v1.RemoveFileRequest;
import dev.slate.api.exec.v1.StatFileRequest;
import dev.slate.api.exec.v1.WatchFilesRequest;
import dev.slate.sdk.internal.Http;
import dev.slate.sdk.internal.LocalTree;
import dev.slate.sdk.internal.Transport;
import dev.slate.sdk.internal.tar.DirectoryTar;
import dev.slate.sdk.internal.tar.TreeUnpacking;
import dev.slate.sdk.internal.tar.UnsafeTarException;
import java.io.BufferedInputStream;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Files inside a sandbox, by absolute path. Paths are text without loss, whatever bytes a name has: see
 * {@link SandboxPath}. Thread-safe.
 */
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

    /** Copies a local file in with these permission bits. */
    public void put(Path local, String path, int mode) {
        try {
            put(path, BodyPublishers.ofFile(local), mode);
        } catch (FileNotFoundException e) {
            throw new UncheckedIOException("cannot read " + local, e);
        }
    }

    /** Writes what the stream gives, up to its end, and closes it. */
    public void put(InputStream content, String path, int mode) {
        put(path, BodyPublishers.ofInputStream(() -> content), mode);
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
        return transport.http().get(address("files", path));
    }

    /** A part of a file, which must be there in full: up to {@code length} bytes from {@code offset} on. */
    public InputStream open(String path, long offset, long length) {
        if (offset < 0 || length < 1 || offset > Long.MAX_VALUE - length) {
            throw new IllegalArgumentException(
                    "range: " + length + " bytes at " + offset + " (expected: at least 1 byte at 0 or later)");
        }
        return transport
                .http()
                .get(address("files", path), Map.of("Range", "bytes=" + offset + "-" + (offset + length - 1)));
    }

    /**
     * Copies a directory and all below it into a directory, which is made if missing. Modes, times, links and names are
     * kept; owners are not. What is there already stays, files of the same name are replaced. If it fails, what was
     * copied before stays.
     */
    public void uploadDirectory(Path local, String path) {
        uploadDirectory(local, path, _ -> {});
    }

    /** Like {@link #uploadDirectory(Path, String)}; the consumer hears the bytes so far, on another thread. */
    public void uploadDirectory(Path local, String path, LongConsumer progress) {
        if (!Files.isDirectory(local)) {
            throw new IllegalArgumentException("local path: " + local + " (expected: a directory)");
        }
        try (var tar = new DirectoryTar(local, progress)) {
            transport.http().put(address("tree", path), BodyPublishers.ofInputStream(() -> tar));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + local, e);
        }
    }

    /** Copies all below a directory out, like {@link #downloadDirectory(String, Path, List, LongConsumer)}. */
    public DirectoryCopy downloadDirectory(String path, Path local) {
        return downloadDirectory(path, local, List.of(), _ -> {});
    }

    /**
     * Copies all below a directory out into a local one, which is made if missing. Nothing outside of it is written or
     * followed, whatever the sandbox sends; a hostile answer is a {@link SlateException} with the code {@code
     * UNSAFE_ARCHIVE}. If it fails, what was copied before stays.
     *
     * @param excludes names to leave out at any depth, or with a slash paths below the directory; not patterns
     * @param progress hears the bytes so far
     */
    public DirectoryCopy downloadDirectory(String path, Path local, List<String> excludes, LongConsumer progress) {
        var query = new StringBuilder(address("tree", path));
        excludes.forEach(exclude -> query.append("&exclude=").append(Http.encode(exclude)));
        try (var in = new BufferedInputStream(transport.http().get(query.toString()), 64 * 1024)) {
            var result = TreeUnpacking.unpack(in, local, progress);
            return new DirectoryCopy(result.entries(), result.bytes(), result.leftOut());
        } catch (UnsafeTarException e) {
            throw SlateException.unsafeArchive("the directory " + path + " came as an unsafe archive", e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy " + path + " to " + local, e);
        }
    }

    /**
     * Tells changes in a directory, and with {@code recursive} also below its directories. Those after the return are
     * not missed. The caller closes it.
     */
    public FileWatch watch(String path, boolean recursive) {
        var request = WatchFilesRequest.newBuilder()
                .setSandbox(sandbox)
                .setPath(path)
                .setRecursive(recursive)
                .build();
        return FileWatch.begin(transport.stream(FilesGrpc.getWatchFilesMethod(), request));
    }

    /** What has the path; of a symbolic link the link itself. */
    public SandboxFile stat(String path) {
        return stat(path, false);
    }

    /** What has the path; of a symbolic link its target. */
    public SandboxFile statTarget(String path) {
        return stat(path, true);
    }

    private SandboxFile stat(String path, boolean follow) {
        var request = StatFileRequest.newBuilder()
                .setSandbox(sandbox)
                .setPath(path)
                .setFollow(follow)
                .build();
        return SandboxFile.of(
                transport.call(FilesGrpc.getStatFileMethod(), request).getFile());
    }

    /** What is directly in a directory, sorted by name. */
    public List<SandboxFile> list(String path) {
        var files = new ArrayList<SandboxFile>();
        var request = ListFilesRequest.newBuilder().setSandbox(sandbox).setPath(path);
        do {
            var page = transport.call(FilesGrpc.getListFilesMethod(), request.build());
            page.getFilesList().forEach(file -> files.add(SandboxFile.of(file)));
            request.setPageToken(page.getNextPageToken());
        } while (!request.getPageToken().isEmpty());
        return List.copyOf(files);
    }

    /** Sets permission bits, for example {@code 0755}; of a symbolic link those of its target. */
    public void chmod(String path, int mode) {
        var request = ChangeFileModeRequest.newBuilder()
                .setSandbox(sandbox)
                .setPath(path)
                .setMode(mode)
                .build();
        transport.call(FilesGrpc.getChangeFileModeMethod(), request);
    }

    /** A file, a link or an empty directory. */
    public void remove(String path) {
        remove(path, false);
    }

    /** A directory with all that is in it. */
    public void removeTree(String path) {
        remove(path, true);
    }

    /** Makes parents too; a directory that exists already is fine. */
    public void mkdir(String path) {
        mkdir(path, 0755, true);
    }

    /**
     * Makes a directory with these permission bits.
     *
     * @param parents make missing parents, and take a directory that exists already as it is
     */
    public void mkdir(String path, int mode, boolean parents) {
        var request = MakeDirectoryRequest.newBuilder()
                .setSandbox(sandbox)
                .setPath(path)
                .setMode(mode)
                .setWithoutParents(!parents)
                .build();
        transport.call(FilesGrpc.getMakeDirectoryMethod(), request);
    }

    /** Moves within one file system; what is at the new path is replaced. */
    public void move(String from, String to) {
        move(from, to, true);
    }

    /** Moves within one file system; without {@code overwrite}, something at the new path is a {@link SlateException.Conflict}. */
    public void move(String from, String to, boolean overwrite) {
        var request = MoveFileRequest.newBuilder()
                .setSandbox(sandbox)
                .setFrom(from)
                .setTo(to)
                .setKeepExisting(!overwrite)
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
        transport.http().put(address("files", path) + "&mode=" + String.format("%04o", mode), body);
    }

    private String address(String what, String path) {
        return "/v1/sandboxes/" + Http.encode(sandbox) + "/" + what + "?path=" + Http.encode(path);
    }
}
