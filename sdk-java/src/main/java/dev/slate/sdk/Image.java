package dev.slate.sdk;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How to make an image; an immutable value. Each method returns a new one.
 *
 * <p>Nothing happens before it is used. What was built once is reused as long as the recipe and the bytes of its local
 * files are the same. Local files are read when the image is used.
 */
public final class Image {

    private final Base base;
    private final List<Step> steps;
    private final Map<String, String> env;
    private final Optional<String> workdir;
    private final List<String> entrypoint;
    private final Optional<String> user;

    sealed interface Base {
        record DebianSlim() implements Base {}

        record Reference(String reference) implements Base {}
    }

    sealed interface Step {
        record AptInstall(List<String> packages) implements Step {}

        record RunCommand(String command) implements Step {}

        record AddLocal(Path local, String path) implements Step {}
    }

    private Image(
            Base base,
            List<Step> steps,
            Map<String, String> env,
            Optional<String> workdir,
            List<String> entrypoint,
            Optional<String> user) {
        this.base = base;
        this.steps = steps;
        this.env = env;
        this.workdir = workdir;
        this.entrypoint = entrypoint;
        this.user = user;
    }

    /** Debian 13 with {@code python3} and {@code ca-certificates}. */
    public static Image debianSlim() {
        return from(new Base.DebianSlim());
    }

    /** An image of a registry, for example {@code docker.io/library/alpine:3.22}. */
    public static Image base(String reference) {
        if (reference.isBlank()) {
            throw new IllegalArgumentException("base: empty (expected: a reference such as registry/name:tag)");
        }
        return from(new Base.Reference(reference));
    }

    /** Installs Debian packages in one step. */
    public Image aptInstall(String... packages) {
        return aptInstall(List.of(packages));
    }

    public Image aptInstall(List<String> packages) {
        if (packages.isEmpty()) {
            throw new IllegalArgumentException("packages: none (expected: at least one package name)");
        }
        return with(new Step.AptInstall(List.copyOf(packages)));
    }

    /** Runs each command with {@code /bin/sh -c} in a step of its own. */
    public Image runCommands(String... commands) {
        var image = this;
        for (var command : commands) {
            image = image.with(new Step.RunCommand(command));
        }
        return image;
    }

    /** Adds a local file under an absolute path; it stays executable when it is. */
    public Image addLocalFile(Path local, String path) {
        return with(new Step.AddLocal(local, absolute(path)));
    }

    /** Adds all that is in a local directory, except {@code .git}; links stay links. */
    public Image addLocalDir(Path local, String path) {
        return with(new Step.AddLocal(local, absolute(path)));
    }

    /** A variable for all later commands of sandboxes; build steps see it too. */
    public Image env(String name, String value) {
        var changed = new TreeMap<>(env);
        changed.put(name, value);
        return new Image(base, steps, new LinkedHashMap<>(changed), workdir, entrypoint, user);
    }

    public Image workdir(String path) {
        return new Image(base, steps, env, Optional.of(absolute(path)), entrypoint, user);
    }

    /** Recorded in the image; commands of a sandbox do not go through it. */
    public Image entrypoint(String... command) {
        return new Image(base, steps, env, workdir, List.of(command), user);
    }

    /** A name or {@code uid[:gid]}. */
    public Image user(String user) {
        return new Image(base, steps, env, workdir, entrypoint, Optional.of(user));
    }

    Base base() {
        return base;
    }

    List<Step> steps() {
        return steps;
    }

    Map<String, String> env() {
        return env;
    }

    Optional<String> workdir() {
        return workdir;
    }

    List<String> entrypoint() {
        return entrypoint;
    }

    Optional<String> user() {
        return user;
    }

    private static Image from(Base base) {
        return new Image(base, List.of(), Map.of(), Optional.empty(), List.of(), Optional.empty());
    }

    private Image with(Step step) {
        var longer = new ArrayList<>(steps);
        longer.add(step);
        return new Image(base, List.copyOf(longer), env, workdir, entrypoint, user);
    }

    private static String absolute(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("path: " + path + " (expected: an absolute path in the image)");
        }
        return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }
}
