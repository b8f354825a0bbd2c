package dev.slate.egress.dns;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.slate.egress.host.HostName;
import dev.slate.egress.policy.Snapshots;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * Answers DNS queries out of itself. An A question gets the synthetic address of the name, everything else an empty
 * answer, so that clients neither wait nor find another way. No name leaves the host. Thread-safe.
 */
public final class DnsAnswers {

    private static final int HEADER = 12;
    private static final int TYPE_A = 1;
    private static final int CLASS_IN = 1;
    private static final int TTL_SECONDS = 60;

    private static final int FORMAT_ERROR = 1;
    private static final int NOT_IMPLEMENTED = 4;
    private static final int REFUSED = 5;

    private final Snapshots snapshots;
    private final SyntheticAddresses addresses;

    public DnsAnswers(Snapshots snapshots, SyntheticAddresses addresses) {
        this.snapshots = snapshots;
        this.addresses = addresses;
    }

    /** The response to one message from this address; empty if it deserves none. */
    public Optional<byte[]> answer(byte[] message, InetAddress source) {
        var sandbox = snapshots.current().from(source);
        if (sandbox.isEmpty() || message.length < HEADER || (message[2] & 0x80) != 0) {
            return Optional.empty();
        }
        var query = ByteBuffer.wrap(message);
        if ((message[2] >> 3 & 0xf) != 0) {
            return Optional.of(header(query, NOT_IMPLEMENTED, 0, 0).array());
        }
        var question = query.getShort(4) == 1 ? Question.parse(message) : Optional.<Question>empty();
        if (question.isEmpty()) {
            return Optional.of(header(query, FORMAT_ERROR, 0, 0).array());
        }
        if (sandbox.get().policy().isNothing()) {
            return Optional.of(reply(query, message, question.get(), REFUSED, Optional.empty()));
        }
        var address = question.get().isForAddress()
                ? name(question.get())
                        .map(name -> addresses.addressOf(sandbox.get().id(), name))
                : Optional.<InetAddress>empty();
        return Optional.of(reply(query, message, question.get(), 0, address));
    }

    private static Optional<HostName> name(Question question) {
        try {
            return Optional.of(HostName.parse(question.name));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private static byte[] reply(
            ByteBuffer query, byte[] message, Question question, int code, Optional<? extends InetAddress> address) {
        var head = header(query, code, 1, address.isPresent() ? 1 : 0).array();
        var length = question.end - HEADER;
        var out = ByteBuffer.allocate(head.length + length + (address.isPresent() ? 16 : 0));
        out.put(head).put(message, HEADER, length);
        address.ifPresent(value -> out.putShort((short) 0xc00c)
                .putShort((short) TYPE_A)
                .putShort((short) CLASS_IN)
                .putInt(TTL_SECONDS)
                .putShort((short) 4)
                .put(value.getAddress()));
        return out.array();
    }

    private static ByteBuffer header(ByteBuffer query, int code, int questions, int answers) {
        var recursionDesired = query.get(2) & 1;
        return ByteBuffer.allocate(HEADER)
                .putShort(query.getShort(0))
                .put((byte) (0x80 | (query.get(2) & 0x78) | recursionDesired))
                .put((byte) (0x80 | code))
                .putShort((short) questions)
                .putShort((short) answers)
                .putInt(0);
    }

    /** The one question of a message; {@code end} is where it stops. */
    private record Question(String name, int type, int recordClass, int end) {

        boolean isForAddress() {
            return type == TYPE_A && recordClass == CLASS_IN;
        }

        /** Compression has no place in a question: a pointer makes the message malformed. */
        static Optional<Question> parse(byte[] message) {
            var name = new StringBuilder();
            var at = HEADER;
            while (at < message.length && message[at] != 0) {
                var length = message[at] & 0xff;
                if (length > 63 || at + 1 + length > message.length || name.length() + length > 254) {
                    return Optional.empty();
                }
                name.append(new String(Arrays.copyOfRange(message, at + 1, at + 1 + length), US_ASCII))
                        .append('.');
                at += 1 + length;
            }
            if (at + 5 > message.length) {
                return Optional.empty();
            }
            var fields = ByteBuffer.wrap(message, at + 1, 4);
            return Optional.of(
                    new Question(name.toString(), fields.getShort() & 0xffff, fields.getShort() & 0xffff, at + 5));
        }
    }
}
