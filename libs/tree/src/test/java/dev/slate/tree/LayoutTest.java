package dev.slate.tree;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.slate.tree", importOptions = ImportOption.DoNotIncludeTests.class)
class LayoutTest {
    @ArchTest
    static final ArchRule NEEDS_ONLY_THE_JDK_AND_ZSTD = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("dev.slate.tree..", "java..", "com.github.luben.zstd..", "org.jspecify.annotations");

    @ArchTest
    static final ArchRule TREES_KNOW_NO_LAYERS = noClasses()
            .that()
            .resideInAnyPackage("dev.slate.tree", "dev.slate.tree.posix")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.slate.tree.layer");

    @ArchTest
    static final ArchRule SYSTEM_CALLS_KNOW_NO_TREES = noClasses()
            .that()
            .resideInAPackage("dev.slate.tree.posix")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.slate.tree", "dev.slate.tree.layer");
}
