package dev.slate.egress.trust;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a sandbox needs so that its clients trust terminated hosts and spliced ones alike: a file with the platform
 * authority only, a file with all roots as well, and the variables that point clients at one or the other.
 */
public record TrustBundle(Path authorityFile, Path bundleFile, Map<String, String> environment) {

    public TrustBundle {
        environment = Map.copyOf(environment);
    }

    /** Writes both files, readable by everybody: they are mounted into sandboxes. */
    public static TrustBundle write(Path folder, PlatformAuthority authority, UpstreamTrust trust) {
        var all = new StringBuilder();
        trust.roots().forEach(root -> all.append(PlatformAuthority.pem(root)));
        all.append(authority.pem());
        try {
            Files.createDirectories(folder);
            return new TrustBundle(
                    replace(folder.resolve("ca.pem"), authority.pem()),
                    replace(folder.resolve("bundle.pem"), all.toString()),
                    variables());
        } catch (IOException e) {
            throw new UncheckedIOException("trust files in " + folder, e);
        }
    }

    private static Path replace(Path file, String text) throws IOException {
        if (Files.exists(file) && Files.readString(file).equals(text)) {
            return file;
        }
        var unfinished = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(unfinished, text);
        return Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Variable to {@code bundle} where a client replaces its roots, {@code ca} where it adds to them, or {@code =text}. */
    private static Map<String, String> variables() {
        var variables = new TreeMap<String, String>();
        for (var replacing : new String[] {
            "SSL_CERT_FILE",
            "REQUESTS_CA_BUNDLE",
            "CURL_CA_BUNDLE",
            "GIT_SSL_CAINFO",
            "PIP_CERT",
            "AWS_CA_BUNDLE",
            "CARGO_HTTP_CAINFO",
            "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
            "HTTPLIB2_CA_CERTS",
            "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
            "NIX_SSL_CERT_FILE",
            "HEX_CACERTS_PATH",
            "PERL_LWP_SSL_CA_FILE"
        }) {
            variables.put(replacing, "bundle");
        }
        variables.put("NODE_EXTRA_CA_CERTS", "ca");
        variables.put("DENO_CERT", "ca");
        variables.put("NODE_USE_SYSTEM_CA", "=1");
        variables.put("DENO_TLS_CA_STORE", "=system,mozilla");
        variables.put("UV_SYSTEM_CERTS", "=true");
        variables.put("UV_NATIVE_TLS", "=true");
        return variables;
    }
}
