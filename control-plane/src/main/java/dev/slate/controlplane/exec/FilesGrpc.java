package dev.slate.controlplane.exec;

import com.google.protobuf.Timestamp;
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
import dev.slate.common.auth.Caller;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.controlplane.agent.AgentFiles;
import dev.slate.controlplane.agent.FileEntry;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Files in sandboxes over gRPC, without their bytes. */
@GrpcService
class FilesGrpc extends dev.slate.api.exec.v1.FilesGrpc.FilesImplBase {
    /** A folder of a sandbox is not trusted to be small. */
    private static final int MOST_ENTRIES = 50_000;

    private final RunningSandboxes sandboxes;

    FilesGrpc(RunningSandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    @Override
    public void statFile(StatFileRequest request, StreamObserver<StatFileResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            FileEntry entry = files(request.getSandbox()).statLink(request.getPath());
            return StatFileResponse.newBuilder()
                    .setFile(render(request.getPath(), entry))
                    .build();
        });
    }

    @Override
    public void listFiles(ListFilesRequest request, StreamObserver<ListFilesResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            String folder = request.getPath().endsWith("/") ? request.getPath() : request.getPath() + "/";
            List<FileInfo> found = new ArrayList<>();
            files(request.getSandbox()).list(request.getPath(), entry -> {
                if (found.size() >= MOST_ENTRIES) {
                    throw new PlatformException(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "folder: %s has more than %d entries".formatted(request.getPath(), MOST_ENTRIES));
                }
                found.add(render(folder + entry.name(), entry));
            });
            found.sort(Comparator.comparing(FileInfo::getPath));
            return ListFilesResponse.newBuilder().addAllFiles(found).build();
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
            files(request.getSandbox()).makeFolder(request.getPath());
            return MakeDirectoryResponse.getDefaultInstance();
        });
    }

    @Override
    public void moveFile(MoveFileRequest request, StreamObserver<MoveFileResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            files(request.getSandbox()).rename(request.getFrom(), request.getTo());
            return MoveFileResponse.getDefaultInstance();
        });
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
