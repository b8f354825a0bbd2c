package dev.slate.runsc;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.slate.runsc", importOptions = ImportOption.DoNotIncludeTests.class)
class LayoutTest {

    @ArchTest
    static final ArchRule NEEDS_ONLY_THE_JDK_AND_JACKSON = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("dev.slate.runsc..", "java..", "com.fasterxml.jackson..", "org.jspecify.annotations");

    @ArchTest
    static final ArchRule NOTHING_DEPENDS_ON_THE_DOCTOR = noClasses()
            .that()
            .resideInAPackage("dev.slate.runsc")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.slate.runsc.doctor");
}
