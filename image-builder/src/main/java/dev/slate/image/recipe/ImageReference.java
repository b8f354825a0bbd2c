package dev.slate.image.recipe;

import dev.slate.common.error.PlatformException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where an image is in a registry, for example {@code registry.example.com:5000/team/name:tag}. */
public record ImageReference(String registry, String repository, String tag, Optional<String> digest) {
    private static final String PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
    private static final Pattern FORM =
            Pattern.compile("(?:(?<registry>[A-Za-z0-9.-]+(?::[0-9]{1,5})?|\\[[0-9a-fA-F:]+](?::[0-9]{1,5})?)/)?"
                    + "(?<repository>" + PART + "(?:/" + PART + ")*)"
                    + "(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?"
                    + "(?:@(?<digest>sha256:[0-9a-f]{64}))?");
    private static final String DOCKER_HUB = "docker.io";

    /** Reads a reference as container tools do: without a registry it is Docker Hub, without a tag {@code latest}. */
    public static ImageReference parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (text.length() > 512 || !matcher.matches()) {
            throw PlatformException.invalid("base", text, "registry/repository:tag or registry/repository@sha256:…");
        }
        String registry = matcher.group("registry");
        String repository = matcher.group("repository");
        if (registry == null) {
            registry = DOCKER_HUB;
        } else if (!isHost(registry)) {
            repository = registry + "/" + repository;
            registry = DOCKER_HUB;
        }
        if (registry.equals(DOCKER_HUB) && repository.indexOf('/') < 0) {
            repository = "library/" + repository;
        }
        String tag = matcher.group("tag");
        return new ImageReference(
                registry, repository, tag == null ? "latest" : tag, Optional.ofNullable(matcher.group("digest")));
    }

    /** What a registry is asked for: the digest if there is one, otherwise the tag. */
    public String version() {
        return digest.orElse(tag);
    }

    /** The first part of a reference is a registry only if it cannot be a folder of Docker Hub. */
    private static boolean isHost(String part) {
        return part.indexOf('.') >= 0 || part.indexOf(':') >= 0 || part.equals("localhost");
    }

    @Override
    public String toString() {
        return registry + "/" + repository + digest.map(value -> "@" + value).orElse(":" + tag);
    }
}
