package dev.slate.sdk;

import dev.slate.api.volume.v1.FileEntry;
import java.time.Instant;

/**
 * Something in a volume.
 *
 * @param path relative to the root of the volume
 * @param sha256 empty unless a regular file
 * @param linkTarget empty unless a symbolic link
 */
public record VolumeFile(
        String path, FileType type, int mode, long size, Instant modifiedAt, String sha256, String linkTarget) {

    static VolumeFile of(FileEntry entry) {
        var type = switch (entry.getType()) {
            case TYPE_FILE -> FileType.FILE;
            case TYPE_DIRECTORY -> FileType.DIRECTORY;
            case TYPE_SYMLINK -> FileType.SYMLINK;
            case TYPE_UNSPECIFIED, UNRECOGNIZED -> FileType.OTHER;
        };
        return new VolumeFile(
                entry.getPath(),
                type,
                entry.getMode(),
                entry.getSize(),
                Wire.instant(entry.getModifiedAt()),
                entry.getSha256(),
                entry.getSymlinkTarget());
    }
}
