package dev.slate.image.step;

import dev.slate.image.layout.LayerBlobs;
import dev.slate.image.recipe.AddedFile;
import dev.slate.image.recipe.Step;
import dev.slate.image.upload.UploadedFiles;
import dev.slate.tree.Attributes;
import dev.slate.tree.Below;
import dev.slate.tree.BodySource;
import dev.slate.tree.Change;
import dev.slate.tree.Changes;
import dev.slate.tree.Digest;
import dev.slate.tree.Entry;
import dev.slate.tree.TreePath;
import dev.slate.tree.layer.Layer;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Makes a layer of uploaded files, without any sandbox and whatever is below. Thread-safe. */
@Singleton
public class FileStep {
    private final UploadedFiles uploads;
    private final LayerBlobs layers;

    public FileStep(UploadedFiles uploads, LayerBlobs layers) {
        this.uploads = uploads;
        this.layers = layers;
    }

    /** The layer; its blob is in the layout. */
    public Layer make(String environment, Step.AddFiles step) {
        List<Change> changes =
                step.files().stream().map(file -> change(environment, file)).toList();
        BodySource bodies =
                (_, file) -> uploads.open(environment, file.content().hex());
        try {
            return layers.write(new Changes(changes, List.of()), bodies, LayerBlobs.BUILD_TIME);
        } catch (IOException e) {
            throw new UncheckedIOException("layer of added files", e);
        }
    }

    private Change change(String environment, AddedFile file) {
        TreePath path = new TreePath(file.path().substring(1));
        Attributes attributes = Attributes.of(file.mode(), LayerBlobs.BUILD_TIME);
        return switch (file.content()) {
            case AddedFile.Content.Body(var sha256) ->
                new Change.Put(
                        path, new Entry.File(attributes, uploads.size(environment, sha256), new Digest(sha256)), 0);
            case AddedFile.Content.Link(var target) -> new Change.Put(path, new Entry.Symlink(attributes, target), 0);
            case AddedFile.Content.Directory() ->
                new Change.PutDirectory(path, new Entry.Directory(attributes), new Below.Same());
        };
    }
}
