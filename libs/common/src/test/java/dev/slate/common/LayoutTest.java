package dev.slate.common;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;

@NullMarked
@AnalyzeClasses(packages = "dev.slate.common", importOptions = ImportOption.DoNotIncludeTests.class)
class LayoutTest {
    @ArchTest
    static final ArchRule PACKAGES_DEPEND_ONE_WAY =
            slices().matching("dev.slate.common.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule NO_SERVICE_AND_NO_MESSAGE_OF_A_FEATURE_IS_KNOWN_HERE = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.slate.api..",
                    "dev.slate.controlplane..",
                    "dev.slate.egress..",
                    "dev.slate.image..",
                    "dev.slate.volume..");
}
