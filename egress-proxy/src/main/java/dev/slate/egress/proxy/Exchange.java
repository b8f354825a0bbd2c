package dev.slate.egress.proxy;

import dev.slate.egress.credential.Scrubber;
import dev.slate.egress.proxy.RequestRules.Outcome;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** How far one request and its answer have come. Confined to the event loop of its connection. */
final class Exchange {

    final Outcome.Forward forward;
    final boolean oldClient;
    final boolean clientKeepsAlive;
    final boolean headOnly;
    final boolean wantsTrailers;
    final Deque<HttpContent> waiting = new ArrayDeque<>();
    boolean sent;
    boolean onReusedConnection;
    boolean retried;
    boolean requestComplete;
    boolean hadBody;
    boolean answered;
    boolean closeAfter;
    boolean upstreamKeepsAlive;
    boolean interim;
    boolean switching;
    int interimAnswers;

    @Nullable
    Scrubber scrubber;

    Exchange(Outcome.Forward forward, HttpRequest request) {
        this.forward = forward;
        this.oldClient = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
        this.clientKeepsAlive = HttpUtil.isKeepAlive(request);
        this.wantsTrailers = !oldClient && RequestRules.wantsTrailers(request);
        this.headOnly = request.method().name().equals("HEAD");
    }

    /** A connection that idled may have been closed by the host just now; a request without a body can go again. */
    boolean canRetry() {
        return onReusedConnection && !retried && !answered && interimAnswers == 0 && requestComplete && !hadBody;
    }

    void release() {
        waiting.forEach(HttpContent::release);
        waiting.clear();
    }
}
