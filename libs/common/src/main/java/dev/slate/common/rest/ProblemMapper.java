package dev.slate.common.rest;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import java.util.Map;

/** The only place where failures become HTTP answers: {@code {"error": {"code", "message"}}}. */
@Provider
public class ProblemMapper implements ExceptionMapper<PlatformException> {
    @Override
    public Response toResponse(PlatformException failure) {
        return response(failure.code(), String.valueOf(failure.getMessage()));
    }

    /** The answer for a code and a message. */
    public static Response response(ErrorCode code, String message) {
        return Response.status(code.kind().httpStatus())
                .type(MediaType.APPLICATION_JSON_TYPE)
                .entity(Map.of("error", Map.of("code", code.name(), "message", message)))
                .build();
    }
}
