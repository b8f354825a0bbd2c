package dev.slate.image.base;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.image.config.ImageFolders;
import dev.slate.image.progress.Progress;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Fills a folder with a Debian system, by {@code mmdebstrap}. */
@Singleton
class Bootstrap {
    private static final Duration LIMIT = Duration.ofMinutes(20);
    private static final int TAIL_LINES = 20;

    private final ImageFolders folders;

    Bootstrap(ImageFolders folders) {
        this.folders = folders;
    }

    /** Blocks until the system is there; what the program says goes to the progress. */
    void run(DebianArchive archive, Path target, Progress progress) {
        Path temporary = folders.unfinishedFolder();
        StringBuilder output = new StringBuilder();
        try {
            Process process = start(archive, target, temporary);
            Thread guard = Thread.ofVirtual().start(() -> killWhenLate(process));
            try (InputStream stream = process.getInputStream()) {
                byte[] buffer = new byte[8_192];
                for (int n = stream.read(buffer); n >= 0; n = stream.read(buffer)) {
                    byte[] bytes = Arrays.copyOf(buffer, n);
                    output.append(new String(bytes, StandardCharsets.UTF_8));
                    progress.log(0, bytes);
                }
            }
            int exitCode = process.waitFor();
            guard.interrupt();
            if (exitCode != 0) {
                throw new PlatformException(
                        ErrorCode.IMAGE_BUILD_FAILED,
                        "debian-slim: mmdebstrap ended with exit code " + exitCode + ":\n" + tail(output.toString()));
            }
        } catch (IOException e) {
            throw new PlatformException(
                    ErrorCode.UNAVAILABLE,
                    "debian-slim: mmdebstrap cannot be run: " + e.getMessage()
                            + " (install it, or set slate.image.debian-slim-reference)",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PlatformException(ErrorCode.CANCELLED, "debian-slim: interrupted", e);
        } finally {
            folders.discard(temporary);
        }
    }

    /**
     * No {@code SOURCE_DATE_EPOCH}: with it Python would compile modules so that every import reads the source again.
     * Times that would differ are made equal afterwards.
     */
    private static Process start(DebianArchive archive, Path target, Path temporary) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "mmdebstrap",
                "--mode=root",
                "--variant=apt",
                "--format=directory",
                "--include=" + String.join(",", DebianArchive.PACKAGES),
                "--aptopt=Acquire::Languages \"none\"",
                "--dpkgopt=force-unsafe-io",
                "--dpkgopt=path-exclude=/usr/share/man/*",
                "--dpkgopt=path-exclude=/usr/share/info/*",
                "--dpkgopt=path-exclude=/usr/share/locale/*",
                "--dpkgopt=path-exclude=/usr/share/doc/*",
                "--dpkgopt=path-include=/usr/share/doc/*/copyright",
                DebianArchive.SUITE,
                target.toString()));
        command.addAll(archive.sources());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        String proxy = builder.environment().get("http_proxy");
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("TMPDIR", temporary.toString());
        if (proxy != null) {
            builder.environment().put("http_proxy", proxy);
        }
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private static void killWhenLate(Process process) {
        try {
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static String tail(String output) {
        List<String> lines = output.lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    }
}
