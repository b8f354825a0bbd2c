package dev.slate.controlplane;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.slate.controlplane", importOptions = ImportOption.DoNotIncludeTests.class)
class LayoutTest {
    @ArchTest
    static final ArchRule FEATURES_DEPEND_ONE_WAY =
            slices().matching("dev.slate.controlplane.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule NOTHING_DEPENDS_ON_THE_GATEWAY = noClasses()
            .that()
            .resideOutsideOfPackage("dev.slate.controlplane.router..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.slate.controlplane.router..");

    @ArchTest
    static final ArchRule IDENTITY_KNOWS_NO_OTHER_FEATURE = noClasses()
            .that()
            .resideInAPackage("dev.slate.controlplane.identity..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.slate.controlplane.secret..",
                    "dev.slate.controlplane.policy..",
                    "dev.slate.controlplane.sandbox..",
                    "dev.slate.controlplane.exec..",
                    "dev.slate.controlplane.runtime..");

    @ArchTest
    static final ArchRule REACTIVE_TYPES_STAY_IN_STORES = noClasses()
            .that()
            .haveSimpleNameNotEndingWith("Store")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.smallrye.mutiny..");

    @ArchTest
    static final ArchRule NO_OTHER_SERVICE_IS_KNOWN_BY_ITS_CLASSES = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.slate.image..", "dev.slate.egress..", "dev.slate.volume..");
}
