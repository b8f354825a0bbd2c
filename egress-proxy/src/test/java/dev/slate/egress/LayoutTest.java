package dev.slate.egress;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.slate.egress", importOptions = ImportOption.DoNotIncludeTests.class)
class LayoutTest {

    @ArchTest
    static final ArchRule PACKAGES_DEPEND_ONE_WAY =
            slices().matching("dev.slate.egress.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule DECISIONS_KNOW_NO_NETWORK_LIBRARY = noClasses()
            .that()
            .resideInAnyPackage("dev.slate.egress.host", "dev.slate.egress.policy", "dev.slate.egress.credential")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..", "io.quarkus..", "io.grpc..", "dev.slate.api..");

    @ArchTest
    static final ArchRule MESSAGES_OF_THE_WIRE_STOP_AT_THE_ENDPOINT = noClasses()
            .that()
            .resideOutsideOfPackage("dev.slate.egress.control")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.slate.api..");

    @ArchTest
    static final ArchRule NO_OTHER_SERVICE_IS_KNOWN_BY_ITS_CLASSES = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.slate.controlplane..", "dev.slate.image..", "dev.slate.volume..");
}
