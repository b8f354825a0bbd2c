package dev.slate.image;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.slate.image", importOptions = ImportOption.DoNotIncludeTests.class)
class LayoutTest {
    @ArchTest
    static final ArchRule PACKAGES_DEPEND_ONE_WAY =
            slices().matching("dev.slate.image.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule MESSAGES_OF_THE_WIRE_STOP_AT_THE_ENDPOINT = noClasses()
            .that()
            .resideOutsideOfPackage("dev.slate.image.endpoint..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.slate.api.image..");

    @ArchTest
    static final ArchRule NO_OTHER_SERVICE_IS_KNOWN_BY_ITS_CLASSES = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.slate.controlplane..", "dev.slate.egress..", "dev.slate.volume..");
}
