package dev.slate.image.recipe;

import dev.slate.common.error.PlatformException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The checked description of an image. Immutable. */
public record ImageRecipe(BaseSource base, List<Step> steps, Settings settings) {
    /** Overlay mounts name all layers in one option string, which must fit a page together with the base's layers. */
    private static final int MAX_STEPS = 48;

    public ImageRecipe {
        steps = List.copyOf(steps);
        if (steps.size() > MAX_STEPS) {
            throw PlatformException.invalid("steps", steps.size(), "at most " + MAX_STEPS);
        }
    }

    /** The name of what this recipe makes on top of a base whose manifest has the given digest. */
    public String digest(String baseDigest) {
        Fingerprint fingerprint = new Fingerprint("recipe").add(baseDigest).add(steps.size());
        steps.forEach(step -> step.describe(fingerprint));
        return fingerprint
                .add(settings.env())
                .add(settings.workdir())
                .add(settings.entrypoint())
                .add(settings.user())
                .digest();
    }

    /** What containers of the image start with; empty parts are taken from the base. */
    public record Settings(SortedMap<String, String> env, String workdir, List<String> entrypoint, String user) {
        private static final Pattern ENV_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
        private static final Pattern USER = Pattern.compile("[a-z_0-9][a-z0-9_-]{0,31}(:[a-z_0-9][a-z0-9_-]{0,31})?");
        private static final int MAX_ENTRIES = 256;
        private static final int MAX_TEXT = 32_768;

        /** The same map may come in any order: it is sorted here. */
        public Settings(Map<String, String> env, String workdir, List<String> entrypoint, String user) {
            this(new TreeMap<>(env), workdir, entrypoint, user);
        }

        public Settings {
            env = Collections.unmodifiableSortedMap(new TreeMap<>(env));
            entrypoint = List.copyOf(entrypoint);
            if (env.size() > MAX_ENTRIES) {
                throw PlatformException.invalid("env", env.size() + " variables", "at most " + MAX_ENTRIES);
            }
            for (Entry<String, String> variable : env.entrySet()) {
                if (!ENV_NAME.matcher(variable.getKey()).matches()) {
                    throw PlatformException.invalid("env", variable.getKey(), "letters, digits and _");
                }
                Texts.check("env " + variable.getKey(), variable.getValue(), MAX_TEXT);
            }
            if (!workdir.isEmpty()) {
                Texts.checkAbsolute("workdir", workdir);
            }
            if (entrypoint.size() > MAX_ENTRIES) {
                throw PlatformException.invalid("entrypoint", entrypoint.size() + " words", "at most " + MAX_ENTRIES);
            }
            entrypoint.forEach(word -> Texts.check("entrypoint", word, MAX_TEXT));
            if (!user.isEmpty() && !USER.matcher(user).matches()) {
                throw PlatformException.invalid("user", user, "a user name or number, or user:group");
            }
        }

        /** Nothing set. */
        public static Settings none() {
            return new Settings(Map.of(), "", List.of(), "");
        }
    }
}
