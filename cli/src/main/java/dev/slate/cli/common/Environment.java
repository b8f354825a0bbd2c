package dev.slate.cli.common;

import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/** The variables that the program was started with. */
public final class Environment {

    private Environment() {}

    /** What the top command is, so that tests can choose the variables. */
    public interface Source {

        Map<String, String> environment();
    }

    public static Map<String, String> of(CommandSpec spec) {
        return ((Source) spec.root().userObject()).environment();
    }
}
