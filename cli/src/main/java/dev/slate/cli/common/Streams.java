package dev.slate.cli.common;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;

/** The process's own streams, without a character set between. */
public final class Streams {

    private Streams() {}

    public static OutputStream standardOutput() {
        return new FileOutputStream(FileDescriptor.out);
    }

    public static OutputStream standardError() {
        return new FileOutputStream(FileDescriptor.err);
    }
}
