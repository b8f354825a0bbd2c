package dev.slate.volume.api;

import com.google.protobuf.Timestamp;
import dev.slate.api.volume.v1.FileChange;
import dev.slate.api.volume.v1.FileEntry;
import dev.slate.common.error.PlatformException;
import dev.slate.tree.Digest;
import dev.slate.tree.Entry;
import dev.slate.tree.TreeException;
import dev.slate.tree.TreePath;
import dev.slate.volume.catalog.Version;
import dev.slate.volume.catalog.Volume;
import dev.slate.volume.version.FileEdit;
import java.time.Instant;

/** Turns messages into domain values and back; every bad value is an invalid argument with its name. */
final class VolumeMessages {
    private VolumeMessages() {}

    static dev.slate.api.volume.v1.Volume volume(Volume volume) {
        return dev.slate.api.volume.v1.Volume.newBuilder()
                .setId(volume.id())
                .setName(volume.name().value())
                .setLatestVersion(volume.latest())
                .setCreatedAt(timestamp(volume.createdAt()))
                .build();
    }

    static dev.slate.api.volume.v1.Version version(Version version) {
        return dev.slate.api.volume.v1.Version.newBuilder()
                .setNumber(version.number())
                .setParent(version.parent())
                .setCreatedAt(timestamp(version.createdAt()))
                .setFiles(version.files())
                .setBytes(version.bytes())
                .setAuthor(version.author())
                .setTreeDigest(version.tree().toString())
                .addAllConflicts(
                        version.conflicts().stream().map(TreePath::value).toList())
                .build();
    }

    static FileEntry file(TreePath path, Entry entry) {
        FileEntry.Builder message = FileEntry.newBuilder()
                .setPath(path.value())
                .setMode(entry.attributes().mode())
                .setModifiedAt(timestamp(entry.attributes().modified()));
        switch (entry) {
            case Entry.File file ->
                message.setType(FileEntry.Type.TYPE_FILE)
                        .setSize(file.size())
                        .setSha256(file.content().hex());
            case Entry.Directory _ -> message.setType(FileEntry.Type.TYPE_DIRECTORY);
            case Entry.Symlink link ->
                message.setType(FileEntry.Type.TYPE_SYMLINK).setSymlinkTarget(link.target());
        }
        return message.build();
    }

    static FileEdit edit(FileChange change) {
        TreePath path = path(change.getPath());
        return switch (change.getChangeCase()) {
            case PUT ->
                new FileEdit.PutFile(
                        path,
                        digest(change.getPut().getSha256()),
                        change.getPut().getSize(),
                        change.getPut().getMode());
            case REMOVE -> new FileEdit.Remove(path);
            case MAKE_DIRECTORY -> new FileEdit.MakeDirectory(path);
            case SYMLINK_TARGET -> new FileEdit.PutSymlink(path, change.getSymlinkTarget());
            case CHANGE_NOT_SET ->
                throw PlatformException.invalid("change of " + path, "none", "put, remove, make_directory or symlink");
        };
    }

    static TreePath path(String path) {
        try {
            return new TreePath(path);
        } catch (TreeException e) {
            throw new PlatformException(
                    dev.slate.common.error.ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }

    static Digest digest(String hex) {
        try {
            return new Digest(hex);
        } catch (IllegalArgumentException _) {
            throw PlatformException.invalid("sha256", hex, "64 lower-case hexadecimal digits");
        }
    }

    private static Timestamp timestamp(Instant time) {
        return Timestamp.newBuilder()
                .setSeconds(time.getEpochSecond())
                .setNanos(time.getNano())
                .build();
    }
}
