package dev.slate.tree.posix;

import java.nio.file.FileSystemException;

/** A system call failed; carries the error number, because callers act on some of them. */
public final class ErrnoException extends FileSystemException {
    public static final int ENOENT = 2;
    public static final int EEXIST = 17;
    public static final int EXDEV = 18;
    public static final int ENOTDIR = 20;
    public static final int EINVAL = 22;
    public static final int EMLINK = 31;
    public static final int ERANGE = 34;
    public static final int ELOOP = 40;
    public static final int ENODATA = 61;
    public static final int EOPNOTSUPP = 95;

    private static final long serialVersionUID = 1;

    private final int errno;

    ErrnoException(String call, String file, int errno, String text) {
        super(file, null, "%s: %s (errno %d)".formatted(call, text, errno));
        this.errno = errno;
    }

    public int errno() {
        return errno;
    }
}
