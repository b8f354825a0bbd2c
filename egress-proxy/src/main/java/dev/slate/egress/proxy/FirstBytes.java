package dev.slate.egress.proxy;

import io.netty.buffer.ByteBuf;

/** Tells protocols apart by how a client opens. */
final class FirstBytes {

    private static final int TLS_HANDSHAKE = 0x16;
    private static final int LONGEST_METHOD = 20;

    enum Kind {
        UNCLEAR,
        TLS,
        HTTP,
        OTHER
    }

    private FirstBytes() {}

    static Kind kind(ByteBuf seen) {
        if (!seen.isReadable()) {
            return Kind.UNCLEAR;
        }
        if (seen.getByte(seen.readerIndex()) == TLS_HANDSHAKE) {
            return Kind.TLS;
        }
        for (var i = 0; i < LONGEST_METHOD; i++) {
            if (i == seen.readableBytes()) {
                return Kind.UNCLEAR;
            }
            var c = seen.getByte(seen.readerIndex() + i);
            if (c == ' ' && i > 0) {
                return Kind.HTTP;
            }
            if (c < 'A' || c > 'Z') {
                return Kind.OTHER;
            }
        }
        return Kind.OTHER;
    }
}
