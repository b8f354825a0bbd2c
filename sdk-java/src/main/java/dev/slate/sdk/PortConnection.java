package dev.slate.sdk;

import com.google.protobuf.ByteString;
import dev.slate.api.exec.v1.ConnectPortRequest;
import dev.slate.api.exec.v1.ConnectPortResponse;
import dev.slate.api.exec.v1.OpenPort;
import dev.slate.api.exec.v1.PortsGrpc;
import dev.slate.sdk.internal.DuplexCall;
import dev.slate.sdk.internal.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;

/**
 * A byte stream to a server inside a sandbox. One thread may read while another writes; closing it, from any thread,
 * ends both. The streams fail with an {@link IOException} when the connection breaks, for example with the sandbox.
 */
public final class PortConnection implements AutoCloseable {

    private static final int PIECE = 64 * 1024;

    private final DuplexCall<ConnectPortRequest, ConnectPortResponse> call;
    private final Input input = new Input();
    private final Output output = new Output();
    private volatile boolean inputEnded;
    private volatile boolean outputEnded;

    private PortConnection(DuplexCall<ConnectPortRequest, ConnectPortResponse> call) {
        this.call = call;
    }

    static PortConnection open(Transport transport, String sandbox, int port) {
        var call = transport.duplex(PortsGrpc.getConnectPortMethod());
        try {
            var _ = call.write(ConnectPortRequest.newBuilder()
                    .setOpen(OpenPort.newBuilder().setSandbox(sandbox).setPort(port))
                    .build());
            // Says that it is open, or why not.
            var _ = call.read();
            return new PortConnection(call);
        } catch (RuntimeException e) {
            call.close();
            throw e;
        }
    }

    /** What the server sends. */
    public InputStream input() {
        return input;
    }

    /** What the server reads; sent as it is written. Closing it tells the server that no more comes. */
    public OutputStream output() {
        return output;
    }

    @Override
    public void close() {
        if (!(inputEnded && outputEnded)) {
            call.close();
        }
    }

    private final class Input extends InputStream {

        private ByteString rest = ByteString.EMPTY;

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            if (length == 0) {
                return 0;
            }
            while (rest.isEmpty()) {
                if (inputEnded) {
                    return -1;
                }
                receive();
            }
            var count = Math.min(length, rest.size());
            rest.substring(0, count).copyTo(bytes, offset);
            rest = rest.substring(count);
            return count;
        }

        private void receive() throws IOException {
            try {
                var reply = call.read().orElseThrow(() -> new IOException("the connection was ended"));
                rest = reply.getData();
                inputEnded = reply.hasEnd();
            } catch (SlateException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
    }

    private final class Output extends OutputStream {

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            for (int sent = 0; sent < length; sent += PIECE) {
                send(ByteString.copyFrom(bytes, offset + sent, Math.min(PIECE, length - sent)));
            }
        }

        @Override
        public void close() {
            if (!outputEnded) {
                outputEnded = true;
                call.endRequests();
            }
        }

        private void send(ByteString piece) throws IOException {
            try {
                if (outputEnded
                        || !call.write(
                                ConnectPortRequest.newBuilder().setData(piece).build())) {
                    throw new IOException("the connection was ended");
                }
            } catch (SlateException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
    }
}
