package dev.slate.controlplane.agent;

/**
 * A change below a watched directory.
 *
 * @param from of a move the path before, otherwise empty
 */
public record FileChange(Kind kind, String path, String from) {
    private static final int LONGEST_PATH = 8192;

    /** What happened. */
    public enum Kind {
        CREATED,
        MODIFIED,
        REMOVED,
        MOVED,
        /** Changes were lost. */
        OVERFLOW
    }

    /** Reads a frame; a path outside of the watched directory is not believed. */
    static FileChange read(Frame frame, String root) throws AgentProtocolException {
        int number = frame.u8();
        if (number < 1 || number > Kind.values().length) {
            throw new AgentProtocolException("kind of change: " + number);
        }
        Kind kind = Kind.values()[number - 1];
        String path = path(frame, root);
        String from = kind == Kind.MOVED ? path(frame, root) : none(frame);
        frame.end();
        return new FileChange(kind, path, from);
    }

    private static String path(Frame frame, String root) throws AgentProtocolException {
        byte[] bytes = frame.bytes();
        String path = PathText.text(bytes);
        if (bytes.length > LONGEST_PATH
                || !(path.equals(root) || path.startsWith(root.equals("/") ? root : root + "/"))) {
            throw new AgentProtocolException("a change outside of the watched directory");
        }
        return path;
    }

    private static String none(Frame frame) throws AgentProtocolException {
        if (frame.bytes().length > 0) {
            throw new AgentProtocolException("a change with two paths that is no move");
        }
        return "";
    }
}
