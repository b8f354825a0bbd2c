package dev.slate.egress.proxy;

/** What the decoder hands on instead of a request that it cannot accept. */
record BadRequest(int status, String problem) {}
