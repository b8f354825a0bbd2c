package dev.slate.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReasonTest {

    @Test
    void everyCodeIsInTheReference() throws IOException {
        var reference = Files.readString(Path.of("../docs/reference/errors.md"));

        assertThat(Reason.values()).allSatisfy(reason -> assertThat(reference).contains("`" + reason.code() + "`"));
    }
}
