package dev.slate.runsc.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorIT {

    @TempDir
    Path home;

    @Test
    void tellsThatThisHostRunsContainersAndClosesNetworks() {
        List<DoctorCheck> checks = new Doctor(home).thoroughChecks();

        assertThat(checks)
                .extracting(DoctorCheck::name)
                .contains("root", "runsc", "nft", "ip", "cgroups", "container", "network");
        assertThat(checks).filteredOn(check -> !check.ok()).isEmpty();
    }
}
