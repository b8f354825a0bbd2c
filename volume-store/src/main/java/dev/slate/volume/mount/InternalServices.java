package dev.slate.volume.mount;

import dev.slate.common.grpc.InternalApi;
import io.grpc.BindableService;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Makes the service that no port serves: Quarkus takes every bean class of this kind for a public one. */
@Singleton
class InternalServices {
    @Produces
    @Singleton
    @InternalApi
    BindableService volumeNode(VolumeMounts mounts) {
        return new VolumeNodeApiGrpc(mounts);
    }
}
