package dev.slate.egress.proxy;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;

/** Writes responses; knows when the request was a HEAD, whose answer has headers only. */
final class ResponseEncoder extends HttpResponseEncoder {

    private boolean headOnly;

    void answering(String method) {
        headOnly = method.equals("HEAD");
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse response) {
        return headOnly || super.isContentAlwaysEmpty(response);
    }
}
