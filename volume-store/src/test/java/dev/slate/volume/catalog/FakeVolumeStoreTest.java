package dev.slate.volume.catalog;

class FakeVolumeStoreTest extends VolumeStoreContract {
    private final VolumeStore store = new FakeVolumeStore();

    @Override
    VolumeStore store() {
        return store;
    }
}
