package dev.slate.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.slate.cli", importOptions = DoNotIncludeTests.class)
class LayoutTest {

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.slate.cli.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule onlyTheLibraryTalksToThePlatform = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.grpc..", "dev.slate.api..", "com.google.protobuf..");
}
