package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * The first message of a TLS client, read strictly and without any allocation that the client could choose: what is
 * not there yet is {@link Incomplete}, what cannot become a hello is {@link Malformed}.
 */
sealed interface ClientHello {

    /** More than this is no honest hello, post-quantum key shares and tickets included. */
    int MAX_LENGTH = 16 * 1024;

    /** The bytes so far are a proper start. */
    record Incomplete() implements ClientHello {}

    /** No hello, whatever comes next. */
    record Malformed() implements ClientHello {}

    /**
     * A whole hello: the names it asks for (normally one), the protocols it offers (ALPN) and whether it may hide
     * another hello inside.
     */
    record Complete(List<String> serverNames, List<String> protocols, boolean encrypted) implements ClientHello {
        public Complete {
            serverNames = List.copyOf(serverNames);
            protocols = List.copyOf(protocols);
        }
    }

    int HANDSHAKE_RECORD = 22;
    int CLIENT_HELLO = 1;
    int SERVER_NAME = 0;
    int PROTOCOLS = 16;
    int ENCRYPTED_CLIENT_HELLO = 0xfe0d;

    /** Reads what a client has sent so far, one or more TLS records from the first byte on. */
    static ClientHello parse(ByteBuffer input) {
        var message = ByteBuffer.allocate(MAX_LENGTH);
        while (true) {
            if (message.position() >= 4) {
                var length = message.getInt(0) & 0xffffff;
                if (message.get(0) != CLIENT_HELLO || length > MAX_LENGTH - 4) {
                    return new Malformed();
                }
                if (message.position() >= 4 + length) {
                    return message.position() > 4 + length
                            ? new Malformed()
                            : body(message.flip().position(4));
                }
            }
            if (!input.hasRemaining()) {
                return new Incomplete();
            }
            if (input.get(input.position()) != HANDSHAKE_RECORD
                    || (input.remaining() > 1 && input.get(input.position() + 1) != 3)) {
                return new Malformed();
            }
            if (input.remaining() < 5) {
                return new Incomplete();
            }
            var length = input.getShort(input.position() + 3) & 0xffff;
            if (length == 0 || length > message.remaining()) {
                return new Malformed();
            }
            input.position(input.position() + 5);
            var available = Math.min(length, input.remaining());
            message.put(input.slice(input.position(), available));
            input.position(input.position() + available);
        }
    }

    private static ClientHello body(ByteBuffer hello) {
        try {
            skip(hello, 2 + 32);
            skip(hello, hello.get() & 0xff);
            skip(hello, hello.getShort() & 0xffff);
            skip(hello, hello.get() & 0xff);
            return hello.hasRemaining() ? extensions(block(hello), hello) : new Complete(List.of(), List.of(), false);
        } catch (BufferUnderflowException | IllegalArgumentException _) {
            return new Malformed();
        }
    }

    private static ClientHello extensions(ByteBuffer extensions, ByteBuffer hello) {
        var seen = new HashSet<Integer>();
        var names = new ArrayList<String>();
        var protocols = new ArrayList<String>();
        while (extensions.hasRemaining()) {
            var type = extensions.getShort() & 0xffff;
            var content = block(extensions);
            if (!seen.add(type)) {
                return new Malformed();
            }
            if (type == SERVER_NAME) {
                var list = block(content);
                while (list.hasRemaining()) {
                    if (list.get() != 0) {
                        return new Malformed();
                    }
                    var name = block(list);
                    names.add(text(name, name.remaining()));
                }
                if (content.hasRemaining()) {
                    return new Malformed();
                }
            } else if (type == PROTOCOLS) {
                var list = block(content);
                while (list.hasRemaining()) {
                    protocols.add(text(list, list.get() & 0xff));
                }
            }
        }
        return hello.hasRemaining()
                ? new Malformed()
                : new Complete(names, protocols, seen.contains(ENCRYPTED_CLIENT_HELLO));
    }

    private static String text(ByteBuffer from, int length) {
        if (length > from.remaining()) {
            throw new BufferUnderflowException();
        }
        var bytes = new byte[length];
        from.get(bytes);
        return new String(bytes, ISO_8859_1);
    }

    /** A part with its length in two bytes before it. */
    private static ByteBuffer block(ByteBuffer from) {
        var length = from.getShort() & 0xffff;
        var block = from.slice(from.position(), Math.min(length, from.remaining()));
        skip(from, length);
        return block;
    }

    private static void skip(ByteBuffer from, int bytes) {
        if (bytes > from.remaining()) {
            throw new BufferUnderflowException();
        }
        from.position(from.position() + bytes);
    }
}
