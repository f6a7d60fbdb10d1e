package io.atoll.spring.autoconfigure.structure;

import java.util.stream.Stream;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Creates bean definitions of structures, with the generic type that injection asks for. */
final class StructureDefinition {

    private StructureDefinition() {}

    static RootBeanDefinition of(Class<?> structure, Class<?>... typeArguments) {
        RootBeanDefinition definition = new RootBeanDefinition(structure);
        definition.setTargetType(ResolvableType.forClassWithGenerics(structure, typeArguments));
        return definition;
    }

    /**
     * Called by code that is generated into this package. That code names the types instead of using them, since an
     * application's records need not be public.
     */
    static RootBeanDefinition named(Class<?> structure, String... typeArguments) {
        ClassLoader loader = ClassUtils.getDefaultClassLoader();
        return of(structure, Stream.of(typeArguments)
                .map(name -> ClassUtils.resolveClassName(name, loader))
                .toArray(Class<?>[]::new));
    }
}
