package dev.slate.volume;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;

@NullMarked
@AnalyzeClasses(packages = "dev.slate.volume", importOptions = ImportOption.DoNotIncludeTests.class)
class LayoutTest {
    @ArchTest
    static final ArchRule VERSION_RULES_ARE_PURE = classes()
            .that()
            .resideInAPackage("dev.slate.volume.version")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.slate.volume.version",
                    "dev.slate.tree",
                    "dev.slate.common.error",
                    "java..",
                    "org.jspecify.annotations");

    @ArchTest
    static final ArchRule DEPENDENCIES_POINT_ONE_WAY = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("api")
            .definedBy("dev.slate.volume.api")
            .layer("mount")
            .definedBy("dev.slate.volume.mount")
            .layer("commit")
            .definedBy("dev.slate.volume.commit")
            .layer("catalog")
            .definedBy("dev.slate.volume.catalog")
            .layer("body")
            .definedBy("dev.slate.volume.body")
            .layer("version")
            .definedBy("dev.slate.volume.version")
            .whereLayer("api")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("mount")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("commit")
            .mayOnlyBeAccessedByLayers("api", "mount")
            .whereLayer("catalog")
            .mayOnlyBeAccessedByLayers("api", "mount", "commit");
}
