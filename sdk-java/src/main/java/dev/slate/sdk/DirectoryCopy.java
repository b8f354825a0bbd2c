package dev.slate.sdk;

import java.util.List;

/**
 * What {@link SandboxFiles#downloadDirectory} brought.
 *
 * @param entries files, directories and links in the sandbox's directory
 * @param bytes content of all files
 * @param leftOut symbolic links that lead out of the directory, relative to it, the first 1000: they are not made,
 *     because whoever follows them later would read or write files of this machine
 */
public record DirectoryCopy(long entries, long bytes, List<String> leftOut) {

    public DirectoryCopy {
        leftOut = List.copyOf(leftOut);
    }
}
