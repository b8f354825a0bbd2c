package dev.slate.volume.api;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.rest.Authenticated;
import dev.slate.common.rest.RequestCaller;
import dev.slate.tree.BodySink;
import dev.slate.tree.Entry;
import dev.slate.volume.body.BodyStores;
import dev.slate.volume.catalog.Volume;
import dev.slate.volume.catalog.VolumeName;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The bytes of volumes. Bodies stream to and from the disk; how many at once is bounded. */
@Path("/v1/volumes/{name}")
@Authenticated
@RunOnVirtualThread
public class VolumeFilesResource {
    private static final int UPLOADS = 8;
    private static final int WAIT_SECONDS = 60;

    private final VolumeCatalog catalog;
    private final BodyStores bodies;
    private final RequestCaller caller;
    private final Semaphore uploads = new Semaphore(UPLOADS);

    VolumeFilesResource(VolumeCatalog catalog, BodyStores bodies, RequestCaller caller) {
        this.catalog = catalog;
        this.bodies = bodies;
        this.caller = caller;
    }

    @PUT
    @Path("bodies")
    @Consumes(MediaType.WILDCARD)
    @Produces(MediaType.APPLICATION_JSON)
    public Map<String, Object> putBody(@PathParam("name") String name, InputStream body) throws IOException {
        Volume volume = volume(name, Permission.DEPLOY_CREATE);
        awaitTurn();
        try {
            BodySink.Stored stored = bodies.of(volume.environment()).put(body);
            return Map.of("sha256", stored.digest().hex(), "size", stored.size());
        } finally {
            uploads.release();
        }
    }

    private void awaitTurn() {
        try {
            if (!uploads.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw new PlatformException(ErrorCode.UNAVAILABLE, "too many uploads at once (try again)");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PlatformException(ErrorCode.CANCELLED, "interrupted while an upload waits", e);
        }
    }

    @GET
    @Path("files")
    @Produces(MediaType.APPLICATION_OCTET_STREAM)
    public Response getFile(
            @PathParam("name") String name,
            @QueryParam("path") @Nullable String path,
            @QueryParam("version") long version,
            @HeaderParam("Range") @Nullable String range) {
        Volume volume = volume(name, Permission.DEPLOY_READ);
        Entry.File file = catalog.file(volume, version, VolumeMessages.path(path == null ? "" : path));
        Optional<ByteRange> wanted = Optional.ofNullable(range).flatMap(header -> ByteRange.parse(header, file.size()));
        if (wanted.isEmpty()) {
            return answer(Response.ok(), volume, file, new ByteRange(0, file.size() - 1));
        }
        ByteRange part = wanted.get();
        if (!part.isSatisfiable(file.size())) {
            return Response.status(Response.Status.REQUESTED_RANGE_NOT_SATISFIABLE)
                    .header("Content-Range", "bytes */" + file.size())
                    .build();
        }
        return answer(
                Response.status(Response.Status.PARTIAL_CONTENT)
                        .header("Content-Range", "bytes %d-%d/%d".formatted(part.first(), part.last(), file.size())),
                volume,
                file,
                part);
    }

    private Response answer(Response.ResponseBuilder response, Volume volume, Entry.File file, ByteRange part) {
        StreamingOutput body = out -> copy(volume, file, part, out);
        return response.entity(body)
                .header(HttpHeaders.CONTENT_LENGTH, part.length())
                .header("Accept-Ranges", "bytes")
                .header(HttpHeaders.ETAG, "\"" + file.content() + "\"")
                .build();
    }

    private void copy(Volume volume, Entry.File file, ByteRange part, OutputStream out) throws IOException {
        try (InputStream body = bodies.of(volume.environment()).get(file.content())) {
            body.skipNBytes(part.first());
            byte[] buffer = new byte[65_536];
            long left = part.length();
            while (left > 0) {
                int n = body.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (n < 0) {
                    throw new IOException("body " + file.content() + " is too short");
                }
                out.write(buffer, 0, n);
                left -= n;
            }
        }
    }

    private Volume volume(String name, Permission permission) {
        Caller who = caller.get().require(permission);
        return catalog.find(who.environment(), new VolumeName(name));
    }
}
