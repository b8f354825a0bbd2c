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
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whole directories of running sandboxes, as tar. */
@Path("/v1/sandboxes/{sandbox}/tree")
@Authenticated
public class TreeResource {
    private static final int MOST_EXCLUDES = 1000;

    private final RunningSandboxes sandboxes;
    private final RequestCaller caller;

    TreeResource(RunningSandboxes sandboxes, RequestCaller caller) {
        this.sandboxes = sandboxes;
        this.caller = caller;
    }

    /** A directory and all below it. A tar without its end mark is incomplete. */
    @GET
    @RunOnVirtualThread
    public Response get(
            @PathParam("sandbox") String sandbox,
            @QueryParam("path") @Nullable String path,
            @QueryParam("exclude") List<String> excludes) {
        AgentFiles files = files(sandbox);
        String wanted = FilesResource.required(path);
        if (excludes.size() > MOST_EXCLUDES) {
            throw PlatformException.invalid("exclude", excludes.size() + " values", "at most " + MOST_EXCLUDES);
        }
        if (files.stat(wanted).type() != FileEntry.Type.DIRECTORY) {
            throw new PlatformException(
                    ErrorCode.FAILED_PRECONDITION, "path: %s (expected: a directory)".formatted(wanted));
        }
        StreamingOutput body = output -> files.getTree(wanted, excludes, output);
        return Response.ok(body).type("application/x-tar").build();
    }

    /** Unpacks a tar below a directory. */
    @PUT
    @Consumes(MediaType.WILDCARD)
    @RunOnVirtualThread
    public Response put(
            @PathParam("sandbox") String sandbox, @QueryParam("path") @Nullable String path, InputStream body)
            throws IOException {
        files(sandbox).putTree(FilesResource.required(path), body);
        return Response.noContent().build();
    }

    private AgentFiles files(String sandbox) {
        return sandboxes.reach(caller.get(), sandbox).agent().files();
    }
}
