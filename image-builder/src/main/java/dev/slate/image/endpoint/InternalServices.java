package dev.slate.image.endpoint;

import dev.slate.common.grpc.InternalApi;
import dev.slate.image.layout.Images;
import dev.slate.image.layout.LayerDirectories;
import dev.slate.image.layout.OciLayout;
import io.grpc.BindableService;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Makes the services that no port serves: Quarkus takes every bean class of this kind for a public one. */
@Singleton
class InternalServices {
    @Produces
    @Singleton
    @InternalApi
    BindableService imageNode(OciLayout layout, Images images, LayerDirectories directories) {
        return new ImageNodeGrpc(layout, images, directories);
    }
}
