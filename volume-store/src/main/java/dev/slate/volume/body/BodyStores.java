package dev.slate.volume.body;

import dev.slate.common.config.HomeConfig;
import dev.slate.common.error.PlatformException;
import dev.slate.tree.ContentStore;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The content store of each environment: whoever knows a digest may read the body, so environments never share one.
 * Thread-safe.
 */
@Singleton
public class BodyStores {
    private static final Pattern ENVIRONMENT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private final Path home;
    private final ConcurrentHashMap<String, ContentStore> stores = new ConcurrentHashMap<>();

    @Inject
    BodyStores(HomeConfig config) {
        this(config.home());
    }

    /** The home may be given through a link; the mount table only knows real paths. */
    public BodyStores(Path slateHome) {
        try {
            this.home = Files.createDirectories(slateHome).toRealPath().resolve("volumes");
        } catch (IOException e) {
            throw new UncheckedIOException("the home " + slateHome + " cannot be used", e);
        }
    }

    /** Where all state of volumes lies. */
    public Path home() {
        return home;
    }

    public ContentStore of(String environment) {
        return stores.computeIfAbsent(checked(environment), name -> {
            try {
                ContentStore store = ContentStore.open(home.resolve("content").resolve(name));
                store.removeUnfinished();
                return store;
            } catch (IOException e) {
                throw new UncheckedIOException("the body store of " + name + " does not open", e);
            }
        });
    }

    /** An environment's id that may become the name of a folder. */
    public static String checked(String environment) {
        if (!ENVIRONMENT.matcher(environment).matches()) {
            throw PlatformException.invalid("environment", environment, "1 to 64 letters, digits, dots, dashes");
        }
        return environment;
    }
}
