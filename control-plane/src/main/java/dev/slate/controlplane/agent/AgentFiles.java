package dev.slate.controlplane.agent;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Consumer;

/**
 * The files of one sandbox. Paths are absolute and without "..". Failures are PlatformExceptions, except those of the
 * caller's own streams, which are thrown as they are. Thread-safe.
 */
public final class AgentFiles {
    /** Length that means: up to the end. */
    public static final long ALL = Long.MAX_VALUE;

    private static final int CHUNK = 64 * 1024;
    /** As the file that is replaced, or 0644. */
    private static final int KEEP_MODE = -1;

    private final AgentCalls calls;

    AgentFiles(AgentCalls calls) {
        this.calls = calls;
    }

    /** Writes a file, with the mode of the one it replaces or 0644. See {@link #put(String, InputStream, int)}. */
    public void put(String path, InputStream content) throws IOException {
        write(path, content, KEEP_MODE);
    }

    /**
     * Writes a file with these permission bits, making missing parents. Readers see the old file or the whole new one;
     * a symbolic link at the path is replaced, not followed. If the content fails, the old file stays.
     */
    public void put(String path, InputStream content, int mode) throws IOException {
        write(path, content, mode & 07777);
    }

    private void write(String path, InputStream content, int mode) throws IOException {
        upload(
                new FrameBuilder(FrameType.FILE_PUT)
                        .path(path)
                        .u32(mode)
                        .flag(true)
                        .build(),
                content);
    }

    /**
     * Unpacks a tar below a directory, which is made if missing. Members that lead out of it, devices, pipes and sparse
     * files are refused; what came before such a member stays.
     */
    public void putTree(String path, InputStream tar) throws IOException {
        upload(new FrameBuilder(FrameType.TAR_PUT).path(path).build(), tar);
    }

    /** Packs a directory and all below it, except what the excludes name, as tar. Any bytes may come: check them. */
    public void getTree(String path, List<String> excludes, OutputStream target) throws IOException {
        FrameBuilder request = new FrameBuilder(FrameType.TAR_GET).path(path).u32(excludes.size());
        excludes.forEach(request::path);
        download(request.build(), ALL, target);
    }

    private void upload(byte[] request, InputStream content) throws IOException {
        callersFailures(() -> calls.call(connection -> {
            connection.send(request);
            byte[] chunk = new byte[CHUNK];
            int count = read(content, chunk);
            while (count > 0) {
                connection.send(
                        new FrameBuilder(FrameType.DATA).raw(chunk, count).build());
                count = read(content, chunk);
            }
            connection.send(new FrameBuilder(FrameType.DATA_END).build());
            return AgentCalls.expectOk(connection);
        }));
    }

    /** Copies a part of a regular file to the stream; returns what the file was when it was opened. */
    @CanIgnoreReturnValue
    public FileEntry get(String path, long offset, long length, OutputStream target) throws IOException {
        byte[] request = new FrameBuilder(FrameType.FILE_GET)
                .path(path)
                .u64(offset)
                .u64(length)
                .build();
        return download(request, length, target);
    }

    @CanIgnoreReturnValue
    private FileEntry download(byte[] request, long length, OutputStream target) throws IOException {
        return callersFailures(() -> calls.call(connection -> {
            connection.send(request);
            FileEntry entry = entry(AgentCalls.expect(FrameType.STAT, connection));
            long left = length;
            while (true) {
                Frame frame = connection.receive();
                if (frame.type() == FrameType.DATA_END_REPLY) {
                    frame.end();
                    return entry;
                }
                if (frame.type() != FrameType.DATA_REPLY) {
                    throw frame.unexpected();
                }
                byte[] data = frame.rest();
                left -= data.length;
                if (left < 0) {
                    throw new AgentProtocolException("more data than the " + length + " bytes that were asked for");
                }
                write(target, data);
            }
        }));
    }

    /** The file at the path; of a symbolic link its target. */
    public FileEntry stat(String path) {
        return stat(path, true);
    }

    /** The file at the path; of a symbolic link the link itself. */
    public FileEntry statLink(String path) {
        return stat(path, false);
    }

    private FileEntry stat(String path, boolean follow) {
        return calls.call(connection -> {
            connection.send(new FrameBuilder(FrameType.FILE_STAT)
                    .path(path)
                    .flag(follow)
                    .build());
            return entry(AgentCalls.expect(FrameType.STAT, connection));
        });
    }

    /** Passes every entry of a folder to the consumer, in no particular order. */
    public void list(String path, Consumer<FileEntry> consumer) {
        calls.call(connection -> {
            connection.send(new FrameBuilder(FrameType.FILE_LIST).path(path).build());
            while (true) {
                Frame frame = connection.receive();
                if (frame.type() == FrameType.DATA_END_REPLY) {
                    frame.end();
                    return true;
                }
                if (frame.type() != FrameType.ENTRIES) {
                    throw frame.unexpected();
                }
                for (int left = frame.u32(); left > 0; left--) {
                    consumer.accept(listed(FileEntry.read(frame)));
                }
                frame.end();
            }
        });
    }

    /** Makes a folder and its missing parents; one that exists already is fine. */
    public void makeFolder(String path) {
        makeFolder(path, 0755, true);
    }

    /** Makes a folder with these permission bits; without parents, its parent must exist and itself must not. */
    public void makeFolder(String path, int mode, boolean parents) {
        calls.command(new FrameBuilder(FrameType.FILE_MKDIR)
                .path(path)
                .u32(mode & 07777)
                .flag(parents)
                .build());
    }

    /** Sets permission bits; of a symbolic link those of its target. */
    public void changeMode(String path, int mode) {
        calls.command(new FrameBuilder(FrameType.FILE_CHMOD)
                .path(path)
                .u32(mode & 07777)
                .build());
    }

    /** Tells changes below a directory; those after the return are not missed. The caller closes it. */
    public FileWatch watch(String path, boolean recursive) {
        return calls.watch(path, recursive);
    }

    /** Removes a file, a link itself, or a folder; a folder that is not empty only if recursive. */
    public void remove(String path, boolean recursive) {
        calls.command(new FrameBuilder(FrameType.FILE_REMOVE)
                .path(path)
                .flag(recursive)
                .build());
    }

    /** Moves within one file system, replacing what is there. */
    public void rename(String from, String to) {
        rename(from, to, true);
    }

    /** Moves within one file system; without overwriting, something at the new path is ALREADY_EXISTS. */
    public void rename(String from, String to, boolean overwrite) {
        calls.command(new FrameBuilder(FrameType.FILE_RENAME)
                .path(from)
                .path(to)
                .flag(overwrite)
                .build());
    }

    /** A name that could lead elsewhere is not believed. */
    private static FileEntry listed(FileEntry entry) throws AgentProtocolException {
        String name = entry.name();
        if (name.isEmpty() || name.contains("/") || name.equals(".") || name.equals("..")) {
            throw new AgentProtocolException("name in a listing: " + AgentConnection.printable(name));
        }
        return entry;
    }

    private static FileEntry entry(Frame frame) throws AgentProtocolException {
        FileEntry entry = FileEntry.read(frame);
        frame.end();
        return entry;
    }

    /** Carries a failure of the caller's stream past the handling of the agent's failures. */
    private static final class CallersFailure extends RuntimeException {
        private final IOException failure;

        CallersFailure(IOException failure) {
            super(failure);
            this.failure = failure;
        }
    }

    private interface Call<T> {
        T run();
    }

    @CanIgnoreReturnValue
    private static <T> T callersFailures(Call<T> call) throws IOException {
        try {
            return call.run();
        } catch (CallersFailure e) {
            throw e.failure;
        }
    }

    private static int read(InputStream content, byte[] chunk) {
        try {
            return content.readNBytes(chunk, 0, chunk.length);
        } catch (IOException e) {
            throw new CallersFailure(e);
        }
    }

    private static void write(OutputStream target, byte[] data) {
        try {
            target.write(data);
        } catch (IOException e) {
            throw new CallersFailure(e);
        }
    }
}
