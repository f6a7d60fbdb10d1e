package io.atoll.spring.autoconfigure.structure;

import java.util.stream.Stream;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Definitions of beans of structures, with the generic type that injection asks for. */
final class StructureDefinition {

    private StructureDefinition() {}

    static RootBeanDefinition of(Class<?> structure, Class<?>... typeArguments) {
        RootBeanDefinition definition = new RootBeanDefinition(structure);
        definition.setTargetType(ResolvableType.forClassWithGenerics(structure, typeArguments));
        return definition;
    }

    /** For code that is generated into this package, which may not see the types: the records of an application need not be public. */
    static RootBeanDefinition named(Class<?> structure, String... typeArguments) {
        ClassLoader loader = ClassUtils.getDefaultClassLoader();
        return of(structure, Stream.of(typeArguments)
                .map(name -> ClassUtils.resolveClassName(name, loader))
                .toArray(Class<?>[]::new));
    }
}
