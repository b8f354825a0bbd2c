package dev.slate.egress.proxy;

import io.netty.channel.Channel;
import io.netty.channel.socket.SocketChannel;

/**
 * Ends connections the hard way, so that clients see "connection reset by peer" and nothing they could misread. For the
 * event loop of the channel only.
 */
final class Resets {

    private Resets() {}

    static void reset(Channel channel) {
        if (channel instanceof SocketChannel socket && socket.isActive()) {
            socket.config().setSoLinger(0);
        }
        // Past the pipeline: a TLS handler in it would say goodbye first.
        channel.unsafe().close(channel.voidPromise());
    }
}
