package dev.slate.sdk;

import dev.slate.testing.FakePlatform;
import java.net.URI;

/** A quiet connection to a fake platform. */
final class TestSlate {

    private TestSlate() {}

    static Slate connect(FakePlatform platform) {
        return Slate.builder()
                .endpoint(URI.create(platform.endpoint()), SecretValue.of(FakePlatform.TOKEN))
                .progress(Progress.none())
                .build();
    }
}
