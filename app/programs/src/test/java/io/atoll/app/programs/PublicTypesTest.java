package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A type of the structures is public for a reason: another package uses it, or it is part of an application's
 * interface. A type that is read only through another one is nested in it.
 */
@Tag("slow")
class PublicTypesTest {

    /** Generated code in a package of DiSNI uses these types. */
    private static final Set<String> USED_BY_MADE_CODE = Set.of("io.atoll.disni.ThreadAffinity");

    /** Applications make this object from an endpoint, for words that only their own process uses. */
    private static final Set<String> GIVEN_TO_APPLICATIONS = Set.of("io.atoll.atomic.LocalAtomicObject");

    private static final int MOST_PUBLIC_PERCENT = 40;

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(PublicTypesTest::isMain)
            .importPackages("io.atoll");

    private static boolean isMain(Location location) {
        return !location.contains("/test-classes/") && !location.contains("-tests.jar");
    }

    private static Stream<JavaClass> types() {
        return MAIN.stream()
                .filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .filter(type -> type.getSource().orElseThrow().getUri().toString().contains("structures"));
    }

    private static Stream<JavaClass> publicTypes() {
        return types().filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC));
    }

    /** Returns the top-level class. A nested class is part of it. */
    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(PublicTypesTest::outermost).orElse(type);
    }

    private static boolean isUsedElsewhere(JavaClass type) {
        return MAIN.stream()
                .filter(each -> outermost(each).equals(type))
                .flatMap(each -> each.getDirectDependenciesToSelf().stream())
                .map(Dependency::getOriginClass)
                .anyMatch(user -> !user.getPackageName().equals(type.getPackageName()));
    }

    private static boolean isSeen(JavaMember member) {
        return member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
    }

    /** Returns what the public members of a public type, and of public types within it, take and return. */
    private static Stream<JavaClass> signatures(JavaClass type) {
        return MAIN.stream()
                .filter(each -> outermost(each).equals(type) && each.getModifiers().contains(JavaModifier.PUBLIC))
                .flatMap(each -> Stream.concat(each.getMembers()
                        .stream()
                        .filter(PublicTypesTest::isSeen)
                        .flatMap(member -> member.getAllInvolvedRawTypes().stream()),
                        each.getAllRawInterfaces().stream()))
                .map(JavaClass::getBaseComponentType)
                .map(PublicTypesTest::outermost);
    }

    @Test
    void aPublicTypeIsUsedByAnotherPackageOrGivenToApplications() {
        Set<JavaClass> wanted = publicTypes()
                .filter(type -> isUsedElsewhere(type) || type.isAssignableTo(Throwable.class))
                .collect(Collectors.toCollection(HashSet::new));
        assertThat(wanted).hasSizeGreaterThan(100);
        Set<JavaClass> latest = wanted;
        while (!latest.isEmpty()) {
            latest = latest.stream()
                    .flatMap(PublicTypesTest::signatures)
                    .filter(type -> !wanted.contains(type))
                    .collect(Collectors.toSet());
            wanted.addAll(latest);
        }
        assertThat(publicTypes().filter(type -> !wanted.contains(type)).map(JavaClass::getName))
                .as("public, though only their own package uses them")
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(USED_BY_MADE_CODE, GIVEN_TO_APPLICATIONS).flatMap(Set::stream).toList());
    }

    @Test
    void atMostTwoTypesOfFiveArePublic() {
        long all = types().count();
        assertThat(publicTypes().count()).as("public, of %d types", all)
                .isGreaterThan(100)
                .isLessThanOrEqualTo(all * MOST_PUBLIC_PERCENT / 100);
    }
}
