package dev.slate.controlplane.exec;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.rest.Authenticated;
import dev.slate.common.rest.RequestCaller;
import dev.slate.controlplane.agent.AgentFiles;
import dev.slate.controlplane.agent.FileEntry;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Bytes of files in running sandboxes. */
@Path("/v1/sandboxes/{sandbox}/files")
@Authenticated
public class FilesResource {
    private final RunningSandboxes sandboxes;
    private final RequestCaller caller;

    FilesResource(RunningSandboxes sandboxes, RequestCaller caller) {
        this.sandboxes = sandboxes;
        this.caller = caller;
    }

    /** A file, or the part of it that a range names. */
    @GET
    @RunOnVirtualThread
    public Response get(
            @PathParam("sandbox") String sandbox,
            @QueryParam("path") @Nullable String path,
            @HeaderParam("Range") @Nullable String range) {
        AgentFiles files = files(sandbox);
        String wanted = required(path);
        FileEntry entry = files.stat(wanted);
        if (entry.type() != FileEntry.Type.FILE) {
            throw new PlatformException(
                    ErrorCode.FAILED_PRECONDITION, "path: %s (expected: a regular file)".formatted(wanted));
        }
        Optional<ByteRange> part = ByteRange.parse(range, entry.size());
        // Files of /proc say 0 and have content.
        long first = part.map(ByteRange::first).orElse(0L);
        long length = part.map(ByteRange::length).orElse(entry.size() == 0 ? AgentFiles.ALL : entry.size());
        StreamingOutput body = output -> files.get(wanted, first, length, output);
        Response.ResponseBuilder response = Response.status(part.isPresent() ? 206 : 200)
                .type(MediaType.APPLICATION_OCTET_STREAM_TYPE)
                .header("Accept-Ranges", "bytes")
                .header("X-Slate-Mode", Integer.toOctalString(entry.mode()))
                .entity(body);
        if (length != AgentFiles.ALL) {
            response.header(HttpHeaders.CONTENT_LENGTH, length);
        }
        part.ifPresent(known -> response.header(
                "Content-Range", "bytes %d-%d/%d".formatted(known.first(), known.last(), entry.size())));
        return response.build();
    }

    /** Writes a file; readers see the old one or the whole new one. */
    @PUT
    @Consumes(MediaType.WILDCARD)
    @RunOnVirtualThread
    public Response put(
            @PathParam("sandbox") String sandbox,
            @QueryParam("path") @Nullable String path,
            @QueryParam("mode") @Nullable String mode,
            InputStream body)
            throws IOException {
        AgentFiles files = files(sandbox);
        if (mode == null) {
            files.put(required(path), body);
        } else {
            files.put(required(path), body, octal(mode));
        }
        return Response.noContent().build();
    }

    private AgentFiles files(String sandbox) {
        return sandboxes.reach(caller.get(), sandbox).agent().files();
    }

    static String required(@Nullable String path) {
        if (path == null || !path.startsWith("/")) {
            throw PlatformException.invalid("path", path, "an absolute path in the sandbox");
        }
        return path;
    }

    private static int octal(String mode) {
        if (!mode.matches("[0-7]{1,5}") || Integer.parseInt(mode, 8) > 07777) {
            throw PlatformException.invalid("mode", mode, "octal digits such as 0644");
        }
        return Integer.parseInt(mode, 8);
    }
}
