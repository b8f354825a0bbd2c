package dev.slate.tree;

/** Content that a tree or layer cannot hold, or that tries to leave its directory: refused, never repaired. */
public final class TreeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public TreeException(String message) {
        super(message);
    }

    public TreeException(String message, Throwable cause) {
        super(message, cause);
    }
}
