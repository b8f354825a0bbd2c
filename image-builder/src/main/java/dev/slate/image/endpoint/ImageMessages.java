package dev.slate.image.endpoint;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.slate.api.image.v1.BuildEvent;
import dev.slate.api.image.v1.BuildLog;
import dev.slate.api.image.v1.BuildPhase;
import dev.slate.api.image.v1.BuildResult;
import dev.slate.api.image.v1.Image;
import dev.slate.image.build.ImageBuilds;
import dev.slate.image.store.BuiltImage;
import java.time.Instant;

/** Turns what the builder knows into messages of the wire. */
final class ImageMessages {
    private ImageMessages() {}

    static Image image(BuiltImage image) {
        Instant created = image.createdAt();
        return Image.newBuilder()
                .setDigest(image.digest().toString())
                .setRecipeDigest(image.recipeDigest())
                .setSizeBytes(image.sizeBytes())
                .setLayers(image.layers())
                .setCreatedAt(Timestamp.newBuilder()
                        .setSeconds(created.getEpochSecond())
                        .setNanos(created.getNano()))
                .build();
    }

    static BuildEvent event(dev.slate.image.progress.BuildEvent event) {
        BuildEvent.Builder message = BuildEvent.newBuilder();
        switch (event) {
            case dev.slate.image.progress.BuildEvent.Phase(var text, var step, var steps, var cached) ->
                message.setPhase(BuildPhase.newBuilder()
                        .setMessage(text)
                        .setStep(step)
                        .setSteps(steps)
                        .setCached(cached));
            case dev.slate.image.progress.BuildEvent.Log(var step, var output) ->
                message.setLog(BuildLog.newBuilder().setStep(step).setOutput(ByteString.copyFrom(output)));
        }
        return message.build();
    }

    static BuildEvent result(ImageBuilds.Result result) {
        return BuildEvent.newBuilder()
                .setResult(
                        BuildResult.newBuilder().setImage(image(result.image())).setExisted(result.existed()))
                .build();
    }
}
