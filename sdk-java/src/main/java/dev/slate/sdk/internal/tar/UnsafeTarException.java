package dev.slate.sdk.internal.tar;

import java.io.IOException;

/** A tar from a sandbox that is broken, or would write outside of the directory it is unpacked in. */
public final class UnsafeTarException extends IOException {

    private static final long serialVersionUID = 1;

    UnsafeTarException(String message) {
        super("tar: " + message);
    }
}
