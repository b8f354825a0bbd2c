package dev.slate.controlplane.router;

import org.jspecify.annotations.Nullable;

/**
 * A refusal or failure of the gateway in the words of OpenAI clients: a status, a type, a code and the member at fault.
 * The message reaches the client.
 */
final class GatewayException extends RuntimeException {
    private final int status;
    private final String code;
    private final @Nullable String member;

    private GatewayException(
            int status, String code, @Nullable String member, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
        this.code = code;
        this.member = member;
    }

    static GatewayException noKey() {
        return new GatewayException(
                401,
                "invalid_api_key",
                null,
                "the gateway key is missing, unknown or revoked (expected: Authorization: Bearer sl-…)",
                null);
    }

    static GatewayException wrongEnvironment() {
        return new GatewayException(
                404, "environment_not_found", null, "X-Slate-Env-Id is not the environment of this key", null);
    }

    static GatewayException unknownPath(String method, String path) {
        return new GatewayException(
                404, "unknown_url", null, "unknown request URL: %s %s".formatted(method, path), null);
    }

    static GatewayException badRequest(@Nullable String member, String message) {
        return new GatewayException(400, "invalid_request", member, message, null);
    }

    static GatewayException tooLarge(long limit) {
        return new GatewayException(
                413, "request_too_large", null, "the request is over %d bytes".formatted(limit), null);
    }

    static GatewayException unknownModel(String model) {
        return new GatewayException(
                404,
                "model_not_found",
                "model",
                "no connection serves the model \"%s\" (see /v1/router/models)".formatted(model),
                null);
    }

    static GatewayException provider(String connection, int status, String code, String message) {
        return provider(connection, status, code, message, null);
    }

    static GatewayException provider(
            String connection, int status, String code, String message, @Nullable Throwable cause) {
        return new GatewayException(status, code, null, "connection %s: %s".formatted(connection, message), cause);
    }

    static GatewayException noProvider(String reasons) {
        return new GatewayException(502, "provider_unreachable", null, reasons, null);
    }

    static GatewayException internal(String requestId, Throwable cause) {
        return new GatewayException(
                500, "internal_error", null, "internal error of the gateway, request " + requestId, cause);
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }

    /** The error object of OpenAI-compatible servers. */
    OpenAiError error(String requestId) {
        String type = status >= 500 ? "server_error" : status == 401 ? "authentication_error" : "invalid_request_error";
        return new OpenAiError(new OpenAiError.Detail(String.valueOf(getMessage()), type, member, code, requestId));
    }
}
