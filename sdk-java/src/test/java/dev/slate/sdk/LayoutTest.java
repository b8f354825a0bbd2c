package dev.slate.sdk;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.stream.Stream;

@AnalyzeClasses(packages = "dev.slate.sdk", importOptions = DoNotIncludeTests.class)
class LayoutTest {

    private static final List<String> TRANSPORT =
            List.of("io.grpc.", "io.quarkus.", "io.smallrye.", "com.google.", "dev.slate.api.", "com.fasterxml.");

    @ArchTest
    static final ArchRule publicSignaturesHideTransport = methods()
            .that()
            .arePublic()
            .and()
            .areDeclaredInClassesThat()
            .arePublic()
            .and()
            .areDeclaredInClassesThat()
            .resideInAPackage("dev.slate.sdk")
            .should(useOnlyTypesThatUsersKnow());

    @ArchTest
    static final ArchRule internalsDoNotKnowWhatUsersSee = noClasses()
            .that()
            .resideInAPackage("dev.slate.sdk.internal")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.slate.sdk");

    @ArchTest
    static final ArchRule publicClassesCannotBeExtended = classes()
            .that()
            .arePublic()
            .and()
            .areNotInterfaces()
            .and(describe("are not the root of the exceptions", type -> !type.isEquivalentTo(SlateException.class)))
            .should()
            .haveModifier(JavaModifier.FINAL);

    private static ArchCondition<JavaMethod> useOnlyTypesThatUsersKnow() {
        return new ArchCondition<>("use only types that users know") {
            @Override
            public void check(JavaMethod method, ConditionEvents events) {
                Stream.concat(
                                method.getReturnType().getAllInvolvedRawTypes().stream(),
                                method.getParameterTypes().stream()
                                        .flatMap(type -> type.getAllInvolvedRawTypes().stream()))
                        .map(JavaClass::getName)
                        .filter(name -> TRANSPORT.stream().anyMatch(name::startsWith)
                                || name.startsWith("dev.slate.sdk.internal."))
                        .forEach(name -> events.add(
                                SimpleConditionEvent.violated(method, method.getFullName() + " shows " + name)));
            }
        };
    }
}
