package dev.slate.cli.sandbox;

import dev.slate.cli.common.ApiCommand;
import picocli.CommandLine.Parameters;

/** A command of the command line about one command in a sandbox. */
abstract class OnExec extends ApiCommand {

    @Parameters(index = "0", paramLabel = "NAME", description = "Name or id of the sandbox; after its end, the id.")
    private String sandbox = "";

    @Parameters(index = "1", paramLabel = "EXEC_ID", description = "As `slate sandbox ps` shows it.")
    private String execId = "";

    final String sandbox() {
        return sandbox;
    }

    final String execId() {
        return execId;
    }
}
