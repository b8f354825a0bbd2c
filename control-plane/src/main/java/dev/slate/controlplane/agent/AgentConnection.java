package dev.slate.controlplane.agent;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/** One authorized connection to an agent, used by one operation at a time; only {@link #close} may come from elsewhere. */
final class AgentConnection implements AutoCloseable {
    private static final int BUFFER = 64 * 1024;
    private static final int MAX_MESSAGE = 1000;

    private final Socket socket;
    private final InputStream input;
    private final OutputStream output;
    private boolean complete;

    private AgentConnection(Socket socket, InputStream input, OutputStream output) {
        this.socket = socket;
        this.input = input;
        this.output = output;
    }

    static AgentConnection open(InetSocketAddress address, byte[] token, Duration limit) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(address, Math.toIntExact(limit.toMillis()));
            AgentConnection connection = new AgentConnection(
                    socket, new BufferedInputStream(socket.getInputStream(), BUFFER), socket.getOutputStream());
            // Has no reply: the first operation follows at once.
            connection.send(new FrameBuilder(FrameType.HELLO).raw(token).build());
            return connection;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    void send(byte[] frame) throws IOException {
        complete = false;
        output.write(frame);
    }

    /** Notes that the operation has got its whole reply, so that the connection can serve another one. */
    void markComplete() {
        complete = true;
    }

    boolean isComplete() {
        return complete;
    }

    /** How long {@link #receive} may wait; longer is a {@link java.net.SocketTimeoutException}. */
    void waitAtMost(Duration limit) throws IOException {
        socket.setSoTimeout(Math.toIntExact(limit.toMillis()));
    }

    /** The next frame. A refusal by the agent is a {@link PlatformException} and completes the operation. */
    Frame receive() throws IOException {
        Frame frame = Frame.read(input);
        if (frame.type() != FrameType.ERROR) {
            return frame;
        }
        int code = frame.u16();
        long _ = frame.wide32();
        String message = printable(frame.text());
        frame.end();
        PlatformException refusal = refusal(code, message);
        complete = true;
        throw refusal;
    }

    private static PlatformException refusal(int code, String message) throws AgentProtocolException {
        ErrorCode known = switch (code) {
            case 3 -> ErrorCode.INVALID_ARGUMENT;
            case 4 -> ErrorCode.NOT_FOUND;
            case 5 -> ErrorCode.ALREADY_EXISTS;
            case 6, 8 -> ErrorCode.FAILED_PRECONDITION;
            case 7 -> ErrorCode.UNSUPPORTED;
            // Unauthorized, protocol and unknown codes: the agent gives up on the connection.
            default -> throw new AgentProtocolException("the agent refuses the connection: " + message);
        };
        return new PlatformException(known, message);
    }

    /** Text from the sandbox, made safe for logs and terminals. */
    static String printable(String text) {
        String shortened = text.length() <= MAX_MESSAGE ? text : text.substring(0, MAX_MESSAGE) + "…";
        return shortened.replaceAll("\\p{Cntrl}", "?");
    }

    /** After the last frame: bytes without frames. */
    InputStream input() {
        return input;
    }

    OutputStream output() {
        return output;
    }

    /** Ends the direction to the agent and leaves the other open. */
    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** Makes the following {@link #close} tell the agent that this was no regular end. */
    void breakOnClose() throws IOException {
        socket.setSoLinger(true, 0);
    }

    /** Takes that back: what was written still arrives. */
    void endOnClose() {
        try {
            socket.setSoLinger(false, 0);
        } catch (IOException e) {
            // Closed already.
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Closing is all that was wanted; what the socket thinks of it does not matter.
        }
    }
}
