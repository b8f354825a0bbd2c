package dev.slate.volume.catalog;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
@QuarkusTestResource(PostgresResource.class)
class DatabaseVolumeStoreIT extends VolumeStoreContract {
    private final VolumeStore store;

    DatabaseVolumeStoreIT(VolumeStore store) {
        this.store = store;
    }

    @Override
    VolumeStore store() {
        return store;
    }
}
