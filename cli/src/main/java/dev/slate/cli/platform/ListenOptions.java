package dev.slate.cli.platform;

import picocli.CommandLine.Option;

/** Where the platform listens. */
final class ListenOptions {

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Default: ${DEFAULT-VALUE}; the next two ports are used too.")
    private int port = Platform.Listen.DEFAULT_PORT;

    @Option(names = "--listen", paramLabel = "ADDRESS", description = "Default: ${DEFAULT-VALUE}, this host only.")
    private String host = "127.0.0.1";

    Platform.Listen listen() {
        return new Platform.Listen(host, port);
    }
}
