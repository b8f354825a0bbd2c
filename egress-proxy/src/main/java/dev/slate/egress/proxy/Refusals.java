package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.slate.egress.audit.Printable;
import dev.slate.egress.policy.Reason;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;

/** The answers that the proxy gives itself, written so that an agent does not look for a way round. */
final class Refusals {

    private Refusals() {}

    static FullHttpResponse response(int status, Reason reason, String detail, String host, String rule) {
        var error = JsonNodeFactory.instance.objectNode();
        error.put("code", reason.code());
        error.put("message", message(reason, detail));
        error.put("host", Printable.of(host));
        error.put("rule", Printable.of(rule));
        var body = JsonNodeFactory.instance.objectNode().set("error", error) + "\n";
        var response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, statusLine(status), Unpooled.copiedBuffer(body, UTF_8));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
                .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
                .set(HttpHeaderNames.CONNECTION, "close");
        return response;
    }

    /** Clients of a proxy often show no more than the status line. */
    private static HttpResponseStatus statusLine(int status) {
        return status == 403
                ? HttpResponseStatus.valueOf(status, "Blocked by the egress policy, retrying another way will not help")
                : HttpResponseStatus.valueOf(status);
    }

    private static String message(Reason reason, String detail) {
        var what = detail.isEmpty() ? reason.explanation() : reason.explanation() + ": " + detail;
        return reason.isDenial()
                ? "Blocked by the egress proxy of the sandbox: " + what + ". Retrying another way will not help."
                : "The egress proxy of the sandbox got no answer: " + what + ".";
    }
}
