package dev.slate.image.upload;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.rest.Authenticated;
import dev.slate.common.rest.RequestCaller;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;

/** Takes local files that a recipe names. */
@Path("/v1/images/files")
@Authenticated
@RunOnVirtualThread
public class ImageFilesResource {
    private final RequestCaller caller;
    private final UploadedFiles files;

    ImageFilesResource(RequestCaller caller, UploadedFiles files) {
        this.caller = caller;
        this.files = files;
    }

    /** Stores the body under its digest; again is fine. */
    @PUT
    @Path("/{sha256}")
    @Consumes(MediaType.WILDCARD)
    public void put(@PathParam("sha256") String sha256, InputStream body) {
        Caller allowed = caller.get().require(Permission.DEPLOY_CREATE);
        files.put(allowed.environment(), sha256, body);
    }
}
