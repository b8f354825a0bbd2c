package dev.slate.cli.platform;

import dev.slate.cli.common.Output;
import dev.slate.runsc.doctor.Doctor;
import dev.slate.runsc.doctor.DoctorCheck;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code slate doctor}. */
@Command(
        name = "doctor",
        description = "Check what this host needs to run sandboxes; exit status 1 when something is missing.",
        mixinStandardHelpOptions = true)
public final class DoctorCommand implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    @Option(names = "--thorough", description = "Also start a container and close a network, for real.")
    private boolean thorough;

    @Override
    public Integer call() {
        var doctor = new Doctor(SlateHome.of(output.environment()).path());
        var checks = new ArrayList<DoctorCheck>();
        checks.add(java());
        checks.addAll(thorough ? doctor.thoroughChecks() : doctor.checks());
        output.value(
                checks.stream().map(DoctorCommand::json).toList(),
                checks.stream().map(DoctorCommand::line).collect(Collectors.joining("\n")));
        return checks.stream().allMatch(DoctorCheck::ok) ? 0 : 1;
    }

    /** The start script chose it. */
    private static DoctorCheck java() {
        return new DoctorCheck("java", true, Runtime.version() + " at " + System.getProperty("java.home"), "");
    }

    private static String line(DoctorCheck check) {
        return check.ok()
                ? "ok  " + check.name() + ": " + check.detail()
                : "--  " + check.name() + ": " + check.detail() + ". " + check.remedy();
    }

    private static Map<String, Object> json(DoctorCheck check) {
        return Map.of("name", check.name(), "ok", check.ok(), "detail", check.detail(), "remedy", check.remedy());
    }
}
