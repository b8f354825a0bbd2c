package dev.slate.controlplane.exec;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.Timestamp;
import dev.slate.api.exec.v1.ChangeFileModeRequest;
import dev.slate.api.exec.v1.ChangeFileModeResponse;
import dev.slate.api.exec.v1.FileChange;
import dev.slate.api.exec.v1.FileInfo;
import dev.slate.api.exec.v1.ListFilesRequest;
import dev.slate.api.exec.v1.ListFilesResponse;
import dev.slate.api.exec.v1.MakeDirectoryRequest;
import dev.slate.api.exec.v1.MakeDirectoryResponse;
import dev.slate.api.exec.v1.MoveFileRequest;
import dev.slate.api.exec.v1.MoveFileResponse;
import dev.slate.api.exec.v1.RemoveFileRequest;
import dev.slate.api.exec.v1.RemoveFileResponse;
import dev.slate.api.exec.v1.StatFileRequest;
import dev.slate.api.exec.v1.StatFileResponse;
import dev.slate.api.exec.v1.WatchFilesRequest;
import dev.slate.common.auth.Caller;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.common.grpc.Replies;
import dev.slate.controlplane.agent.AgentFiles;
import dev.slate.controlplane.agent.FileEntry;
import dev.slate.controlplane.agent.FileWatch;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import java.time.Instant;

/** Files in sandboxes over gRPC, without their bytes. */
@GrpcService
class FilesGrpc extends dev.slate.api.exec.v1.FilesGrpc.FilesImplBase {
    private final RunningSandboxes sandboxes;

    FilesGrpc(RunningSandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    @Override
    public void statFile(StatFileRequest request, StreamObserver<StatFileResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            AgentFiles files = files(request.getSandbox());
            FileEntry entry = request.getFollow() ? files.stat(request.getPath()) : files.statLink(request.getPath());
            return StatFileResponse.newBuilder()
                    .setFile(render(request.getPath(), entry))
                    .build();
        });
    }

    @Override
    public void listFiles(ListFilesRequest request, StreamObserver<ListFilesResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            FilePage page = new FilePage(request.getPath(), request.getPageSize(), request.getPageToken());
            files(request.getSandbox()).list(request.getPath(), page::offer);
            String folder = request.getPath().endsWith("/") ? request.getPath() : request.getPath() + "/";
            ListFilesResponse.Builder reply = ListFilesResponse.newBuilder().setNextPageToken(page.nextToken());
            page.entries().forEach(entry -> reply.addFiles(render(folder + entry.name(), entry)));
            return reply.build();
        });
    }

    @Override
    public void removeFile(RemoveFileRequest request, StreamObserver<RemoveFileResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            files(request.getSandbox()).remove(request.getPath(), request.getRecursive());
            return RemoveFileResponse.getDefaultInstance();
        });
    }

    @Override
    public void makeDirectory(MakeDirectoryRequest request, StreamObserver<MakeDirectoryResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            int mode = request.hasMode() ? checkedMode(request.getMode()) : 0755;
            files(request.getSandbox()).makeFolder(request.getPath(), mode, !request.getWithoutParents());
            return MakeDirectoryResponse.getDefaultInstance();
        });
    }

    @Override
    public void moveFile(MoveFileRequest request, StreamObserver<MoveFileResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            files(request.getSandbox()).rename(request.getFrom(), request.getTo(), !request.getKeepExisting());
            return MoveFileResponse.getDefaultInstance();
        });
    }

    @Override
    public void changeFileMode(ChangeFileModeRequest request, StreamObserver<ChangeFileModeResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            files(request.getSandbox()).changeMode(request.getPath(), checkedMode(request.getMode()));
            return ChangeFileModeResponse.getDefaultInstance();
        });
    }

    @Override
    public void watchFiles(WatchFilesRequest request, StreamObserver<FileChange> observer) {
        GrpcCalls.stream(observer, replies -> {
            try (FileWatch watch = files(request.getSandbox()).watch(request.getPath(), request.getRecursive())) {
                replies.send(FileChange.newBuilder()
                        .setKind(FileChange.Kind.STARTED)
                        .setPath(request.getPath())
                        .build());
                pass(watch, replies);
            }
        });
    }

    private static void pass(FileWatch watch, Replies<FileChange> replies) {
        // A quiet directory must not keep a call alive that nobody listens to.
        Context.CancellationListener end = _ -> watch.close();
        Context context = Context.current();
        context.addListener(end, MoreExecutors.directExecutor());
        try {
            for (var change = watch.next(); change.isPresent(); change = watch.next()) {
                replies.send(render(change.get()));
            }
        } finally {
            context.removeListener(end);
        }
    }

    private static FileChange render(dev.slate.controlplane.agent.FileChange change) {
        FileChange.Kind kind = switch (change.kind()) {
            case CREATED -> FileChange.Kind.CREATED;
            case MODIFIED -> FileChange.Kind.MODIFIED;
            case REMOVED -> FileChange.Kind.REMOVED;
            case MOVED -> FileChange.Kind.MOVED;
            case OVERFLOW -> FileChange.Kind.OVERFLOW;
        };
        return FileChange.newBuilder()
                .setKind(kind)
                .setPath(change.path())
                .setFrom(change.from())
                .build();
    }

    private static int checkedMode(int mode) {
        if (mode < 0 || mode > 07777) {
            throw PlatformException.invalid("mode", Integer.toOctalString(mode), "0 to 7777, octal");
        }
        return mode;
    }

    private AgentFiles files(String sandbox) {
        return sandboxes.reach(Caller.current(), sandbox).agent().files();
    }

    private static FileInfo render(String path, FileEntry entry) {
        String type = switch (entry.type()) {
            case FILE -> "file";
            case DIRECTORY -> "directory";
            case SYMLINK -> "symlink";
            case PIPE, SOCKET, DEVICE -> "other";
        };
        Instant modified = entry.modified();
        return FileInfo.newBuilder()
                .setPath(path)
                .setType(type)
                .setMode(entry.mode())
                .setSize(entry.size())
                .setModifiedAt(Timestamp.newBuilder()
                        .setSeconds(modified.getEpochSecond())
                        .setNanos(modified.getNano()))
                .build();
    }
}
