package dev.slate.sdk;

import dev.slate.api.exec.v1.FileInfo;
import java.time.Instant;

/** Something in the file system of a sandbox. */
public record SandboxFile(String path, FileType type, int mode, long size, Instant modifiedAt) {

    static SandboxFile of(FileInfo file) {
        return new SandboxFile(
                file.getPath(),
                FileType.of(file.getType()),
                file.getMode(),
                file.getSize(),
                Wire.instant(file.getModifiedAt()));
    }
}
