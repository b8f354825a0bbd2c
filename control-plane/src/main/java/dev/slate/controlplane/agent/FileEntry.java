package dev.slate.controlplane.agent;

import java.time.DateTimeException;
import java.time.Instant;

/**
 * A file in a sandbox.
 *
 * @param name the last part of the path in a listing, otherwise the path that was asked for, as {@link PathText}
 *     has it
 * @param mode permission bits
 */
public record FileEntry(String name, Type type, int mode, long size, Instant modified, long uid, long gid) {
    /** PATH_MAX of Linux. */
    private static final int LONGEST_NAME = 4096;

    /** What kind of file it is. */
    public enum Type {
        FILE,
        DIRECTORY,
        SYMLINK,
        PIPE,
        SOCKET,
        DEVICE
    }

    static FileEntry read(Frame frame) throws AgentProtocolException {
        Type type = type(frame.u8());
        int mode = frame.u32();
        long size = frame.u64();
        Instant modified = instant(frame.i64(), frame.u32());
        long uid = frame.wide32();
        long gid = frame.wide32();
        byte[] name = frame.bytes();
        if (name.length > LONGEST_NAME) {
            throw new AgentProtocolException("file name: " + name.length + " bytes");
        }
        return new FileEntry(PathText.text(name), type, mode, size, modified, uid, gid);
    }

    private static Type type(int number) throws AgentProtocolException {
        if (number < 1 || number > Type.values().length) {
            throw new AgentProtocolException("file type: " + number);
        }
        return Type.values()[number - 1];
    }

    private static Instant instant(long seconds, int nanos) throws AgentProtocolException {
        try {
            return Instant.ofEpochSecond(seconds, nanos);
        } catch (DateTimeException | ArithmeticException e) {
            throw new AgentProtocolException("modification time: " + seconds);
        }
    }
}
