package dev.slate.sdk;

/**
 * A change below a watched directory.
 *
 * @param path in the text form of {@link SandboxPath}
 * @param from of a move the path before, otherwise empty
 */
public record FileChange(Kind kind, String path, String from) {

    /** What happened. */
    public enum Kind {
        /** Something new has the path. */
        CREATED,
        /** The content, mode or time of a file is another one, or another file has replaced it. */
        MODIFIED,
        /** Nothing has the path any more. */
        REMOVED,
        /** What had one path has another one, both below the watched directory. */
        MOVED,
        /** Changes came faster than they were read, and some are lost: look what is there. */
        OVERFLOW
    }
}
