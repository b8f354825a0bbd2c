package dev.slate.sdk;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs git in a sandbox, without a shell and without questions. Failures are {@link SlateException.ExecFailed} with what
 * git said, and {@link SlateException.FailedPrecondition} when the image has no git. Thread-safe.
 */
public final class SandboxGit {

    private static final int NOT_FOUND = 127;

    private final Sandbox sandbox;

    SandboxGit(Sandbox sandbox) {
        this.sandbox = sandbox;
    }

    /** Clones the default branch with its whole history. */
    public void clone(String url, String path) {
        run("clone", "--", url, path);
    }

    /** Clones one branch or tag with its whole history. */
    public void clone(String url, String path, String branch) {
        run("clone", "--single-branch", "--branch=" + branch, "--", url, path);
    }

    /** Clones the latest commits of one branch or tag. */
    public void clone(String url, String path, String branch, int depth) {
        if (depth < 1) {
            throw new IllegalArgumentException("depth: " + depth + " (expected: 1 or more)");
        }
        run("clone", "--depth=" + depth, "--branch=" + branch, "--", url, path);
    }

    /** What differs from the last commit. */
    public GitStatus status(String path) {
        return GitStatus.parse(run("-C", directory(path), "status", "--porcelain=v2", "--branch", "-z")
                .stdout());
    }

    /** Changes that are not staged, as a patch. */
    public String diff(String path) {
        return run("-C", directory(path), "diff", "--no-ext-diff", "--no-color").stdout();
    }

    private ExecResult run(String... arguments) {
        List<String> words = new ArrayList<>(List.of("git"));
        words.addAll(List.of(arguments));
        var result = sandbox.command(words.toArray(String[]::new))
                .env("GIT_TERMINAL_PROMPT", "0")
                .env("LC_ALL", "C.UTF-8")
                .run();
        if (result.end() instanceof ExecEnd.NotStarted && result.exitCode() == NOT_FOUND) {
            throw SlateException.gitMissing();
        }
        return result.orThrow();
    }

    /** One that begins with a dash is not an option. */
    private static String directory(String path) {
        return path.startsWith("-") ? "./" + path : path;
    }
}
