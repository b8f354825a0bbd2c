package dev.slate.testing;

import dev.slate.api.exec.v1.ChangeFileModeRequest;
import dev.slate.api.exec.v1.ChangeFileModeResponse;
import dev.slate.api.exec.v1.FileChange;
import dev.slate.api.exec.v1.FileInfo;
import dev.slate.api.exec.v1.FilesGrpc;
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
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Files of all sandboxes together. */
final class FakeFiles extends FilesGrpc.FilesImplBase {

    private static final String FOLDER = "sandbox//";

    private final FakeHttp http;
    private final Map<String, Integer> modes = new ConcurrentHashMap<>();

    FakeFiles(FakeHttp http) {
        this.http = http;
    }

    @Override
    public void statFile(StatFileRequest request, StreamObserver<StatFileResponse> observer) {
        Fakes.reply(observer, () -> {
            if (!http.files().containsKey(FOLDER + request.getPath())) {
                throw Fakes.notFound("file " + request.getPath());
            }
            return StatFileResponse.newBuilder()
                    .setFile(info(request.getPath()))
                    .build();
        });
    }

    @Override
    public void listFiles(ListFilesRequest request, StreamObserver<ListFilesResponse> observer) {
        Fakes.reply(
                observer,
                () -> ListFilesResponse.newBuilder()
                        .addAllFiles(http.files().keySet().stream()
                                .filter(key -> key.startsWith(FOLDER + request.getPath()))
                                .map(key -> info(key.substring(FOLDER.length())))
                                .toList())
                        .build());
    }

    @Override
    public void removeFile(RemoveFileRequest request, StreamObserver<RemoveFileResponse> observer) {
        Fakes.reply(observer, () -> {
            http.files().remove(FOLDER + request.getPath());
            return RemoveFileResponse.getDefaultInstance();
        });
    }

    @Override
    public void makeDirectory(MakeDirectoryRequest request, StreamObserver<MakeDirectoryResponse> observer) {
        Fakes.reply(observer, MakeDirectoryResponse::getDefaultInstance);
    }

    @Override
    public void moveFile(MoveFileRequest request, StreamObserver<MoveFileResponse> observer) {
        Fakes.reply(observer, () -> {
            if (request.getKeepExisting() && http.files().containsKey(FOLDER + request.getTo())) {
                throw Fakes.failure(Status.ALREADY_EXISTS, "ALREADY_EXISTS", "path: " + request.getTo());
            }
            var body = http.files().remove(FOLDER + request.getFrom());
            if (body == null) {
                throw Fakes.notFound("file " + request.getFrom());
            }
            http.files().put(FOLDER + request.getTo(), body);
            return MoveFileResponse.getDefaultInstance();
        });
    }

    @Override
    public void changeFileMode(ChangeFileModeRequest request, StreamObserver<ChangeFileModeResponse> observer) {
        Fakes.reply(observer, () -> {
            if (!http.files().containsKey(FOLDER + request.getPath())) {
                throw Fakes.notFound("file " + request.getPath());
            }
            modes.put(request.getPath(), request.getMode());
            return ChangeFileModeResponse.getDefaultInstance();
        });
    }

    /** Two changes, then the directory is gone. */
    @Override
    public void watchFiles(WatchFilesRequest request, StreamObserver<FileChange> observer) {
        observer.onNext(change(FileChange.Kind.STARTED, request.getPath(), ""));
        observer.onNext(change(FileChange.Kind.CREATED, request.getPath() + "/a", ""));
        observer.onNext(change(FileChange.Kind.MOVED, request.getPath() + "/b", request.getPath() + "/a"));
        observer.onCompleted();
    }

    private static FileChange change(FileChange.Kind kind, String path, String from) {
        return FileChange.newBuilder().setKind(kind).setPath(path).setFrom(from).build();
    }

    private FileInfo info(String path) {
        return FileInfo.newBuilder()
                .setPath(path)
                .setType("file")
                .setMode(modes.getOrDefault(path, 0644))
                .setSize(http.files().getOrDefault(FOLDER + path, new byte[0]).length)
                .setModifiedAt(Fakes.TIME)
                .build();
    }
}
