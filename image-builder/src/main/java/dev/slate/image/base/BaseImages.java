package dev.slate.image.base;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.image.config.ImageConfig;
import dev.slate.image.layout.Images;
import dev.slate.image.layout.OciLayout;
import dev.slate.image.progress.Progress;
import dev.slate.image.progress.SharedRuns;
import dev.slate.image.recipe.BaseSource;
import dev.slate.image.recipe.ImageReference;
import dev.slate.image.registry.RegistryImages;
import dev.slate.image.store.BaseStore;
import dev.slate.image.store.BaseStore.ResolvedBase;
import dev.slate.tree.Digest;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Says which image a base means now, and has it in the layout then. Thread-safe. */
@Singleton
public class BaseImages {
    private final ImageConfig config;
    private final DebianSlim debianSlim;
    private final RegistryImages registry;
    private final OciLayout layout;
    private final BaseStore store;
    private final Clock clock;
    private final Map<String, ResolvedBase> known = new ConcurrentHashMap<>();
    private final SharedRuns<String, Digest> runs = new SharedRuns<>();

    BaseImages(
            ImageConfig config,
            DebianSlim debianSlim,
            RegistryImages registry,
            OciLayout layout,
            BaseStore store,
            Clock clock) {
        this.config = config;
        this.debianSlim = debianSlim;
        this.registry = registry;
        this.layout = layout;
        this.store = store;
        this.clock = clock;
    }

    /** The manifest digest of the base; pulls or makes it when it is new. */
    public Digest resolve(BaseSource base, Progress progress) {
        Optional<ImageReference> reference = reference(base);
        String key = reference.map(BaseImages::key).orElseGet(debianSlim::key);
        Optional<ResolvedBase> found = find(key);
        boolean changes = reference.isPresent() && reference.get().digest().isEmpty();
        if (found.isPresent() && (!changes || isFresh(found.get()))) {
            return found.get().digest();
        }
        return runs.join(
                key,
                progress,
                shared -> reference
                        .map(value -> pull(value, key, found, shared))
                        .orElseGet(() -> remember(key, debianSlim.make(shared).digest())));
    }

    private Optional<ImageReference> reference(BaseSource base) {
        return switch (base) {
            case BaseSource.DebianSlim() -> config.debianSlimReference().map(ImageReference::parse);
            case BaseSource.Registry(var reference) -> Optional.of(reference);
        };
    }

    private static String key(ImageReference reference) {
        return reference + " linux/" + Images.architecture();
    }

    private Optional<ResolvedBase> find(String key) {
        ResolvedBase remembered = known.get(key);
        if (remembered != null) {
            return Optional.of(remembered);
        }
        Optional<ResolvedBase> stored = store.find(key).filter(base -> layout.has(base.digest()));
        stored.ifPresent(base -> known.put(key, base));
        return stored;
    }

    private boolean isFresh(ResolvedBase base) {
        return Duration.between(base.resolvedAt(), clock.instant()).compareTo(config.tagLifetime()) < 0;
    }

    /** What a tag meant before is better than no build while its registry does not answer. */
    private Digest pull(ImageReference reference, String key, Optional<ResolvedBase> before, Progress progress) {
        try {
            return remember(key, registry.pull(reference, progress).digest());
        } catch (PlatformException e) {
            if (e.code() == ErrorCode.UNAVAILABLE && before.isPresent()) {
                progress.log(0, e.getMessage() + "; using " + before.get().digest() + ", pulled before\n");
                return before.get().digest();
            }
            throw e;
        }
    }

    private Digest remember(String key, Digest digest) {
        ResolvedBase base = new ResolvedBase(digest, clock.instant());
        store.put(key, base);
        known.put(key, base);
        return digest;
    }
}
