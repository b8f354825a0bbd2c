package dev.slate.sdk;

import dev.slate.api.image.v1.AddFiles;
import dev.slate.api.image.v1.AddedFile;
import dev.slate.api.image.v1.AptInstall;
import dev.slate.api.image.v1.DebianSlim;
import dev.slate.api.image.v1.FindMissingFilesRequest;
import dev.slate.api.image.v1.ImagesGrpc;
import dev.slate.api.image.v1.Recipe;
import dev.slate.api.image.v1.RunCommand;
import dev.slate.api.image.v1.Step;
import dev.slate.sdk.internal.Digests;
import dev.slate.sdk.internal.LocalTree;
import dev.slate.sdk.internal.Transport;
import dev.slate.sdk.internal.Uploads;
import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An image as the builder reads it: local files are named by digest and uploaded when the builder lacks them. */
final class ImageRecipe {

    private static final int DIGESTS_AT_ONCE = 10_000;

    private final Map<String, Path> files = new HashMap<>();
    private final Recipe recipe;

    private ImageRecipe(Image image) {
        var builder = Recipe.newBuilder().putAllEnv(image.env()).addAllEntrypoint(image.entrypoint());
        switch (image.base()) {
            case Image.Base.DebianSlim() -> builder.setDebianSlim(DebianSlim.getDefaultInstance());
            case Image.Base.Reference(var reference) -> builder.setReference(reference);
        }
        image.steps().forEach(step -> builder.addSteps(step(step)));
        image.workdir().ifPresent(builder::setWorkdir);
        image.user().ifPresent(builder::setUser);
        recipe = builder.build();
    }

    /** The recipe, after the builder has all its files. */
    static Recipe upload(Image image, Transport transport) {
        var prepared = new ImageRecipe(image);
        var digests = List.copyOf(prepared.files.keySet());
        for (int from = 0; from < digests.size(); from += DIGESTS_AT_ONCE) {
            var request = FindMissingFilesRequest.newBuilder()
                    .addAllSha256(digests.subList(from, Math.min(digests.size(), from + DIGESTS_AT_ONCE)))
                    .build();
            var missing = transport.call(ImagesGrpc.getFindMissingFilesMethod(), request);
            Uploads.each(missing.getSha256List(), digest -> prepared.put(digest, transport));
        }
        return prepared.recipe;
    }

    private void put(String digest, Transport transport) {
        var file = files.get(digest);
        if (file == null) {
            throw new IllegalStateException("the builder asks for a file that is not in the recipe: " + digest);
        }
        try {
            transport.http().put("/v1/images/files/" + digest, BodyPublishers.ofFile(file));
        } catch (FileNotFoundException e) {
            throw new UncheckedIOException("local file is gone: " + file, e);
        }
    }

    private Step step(Image.Step step) {
        var builder = Step.newBuilder();
        switch (step) {
            case Image.Step.AptInstall(var packages) ->
                builder.setAptInstall(AptInstall.newBuilder().addAllPackages(packages));
            case Image.Step.RunCommand(var command) ->
                builder.setRunCommand(RunCommand.newBuilder().setCommand(command));
            case Image.Step.AddLocal(var local, var path) -> builder.setAddFiles(addFiles(local, path));
        }
        return builder.build();
    }

    private AddFiles addFiles(Path local, String path) {
        var added = AddFiles.newBuilder();
        for (var entry : LocalTree.read(local)) {
            var addedFile = AddedFile.newBuilder().setPath(join(path, entry.path()));
            switch (entry) {
                case LocalTree.Entry.RegularFile file -> {
                    var digest = Digests.sha256(file.local());
                    files.put(digest, file.local());
                    addedFile.setSha256(digest).setMode(file.mode());
                }
                case LocalTree.Entry.SymbolicLink link -> addedFile.setSymlinkTarget(link.target());
                case LocalTree.Entry.EmptyDirectory _ ->
                    addedFile.setDirectory(true).setMode(0755);
            }
            added.addFiles(addedFile);
        }
        return added.build();
    }

    private static String join(String folder, String path) {
        if (path.isEmpty()) {
            return folder;
        }
        return "/".equals(folder) ? "/" + path : folder + "/" + path;
    }
}
