package io.atoll.spring.autoconfigure.structure;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.aot.BeanRegistrationCodeFragments;
import org.springframework.beans.factory.aot.BeanRegistrationCodeFragmentsDecorator;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.javapoet.CodeBlock;

/**
 * Tells ahead-of-time processing about a structure's bean. The records and enums of its type, and their parts, are
 * reached by reflection. The bean's definition names these types instead of using them. Spring finds this class in
 * {@code META-INF/spring/aot.factories}.
 */
final class StructureHints implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        if (StructureKind.ALL.stream().noneMatch(kind -> kind.type() == bean.getBeanClass())) {
            return null;
        }
        Class<?>[] types = Stream.of(bean.getBeanType().getGenerics())
                .map(ResolvableType::toClass)
                .toArray(Class<?>[]::new);
        // The definition of a bean that the application creates itself is in the application's package, which sees the
        // types.
        boolean ofFactory = StructureRegistrar.FACTORY.equals(bean.getMergedBeanDefinition().getFactoryBeanName());
        return new Contribution(ofFactory, bean.getBeanClass(), types);
    }

    private record Contribution(boolean ofFactory, Class<?> structure, Class<?>... types)
            implements
                BeanRegistrationAotContribution {

        @Override
        public void applyTo(GenerationContext generation, BeanRegistrationCode code) {
            new BindingReflectionHintsRegistrar().registerReflectionHints(generation.getRuntimeHints().reflection(),
                    types);
        }

        @Override
        public BeanRegistrationCodeFragments customizeBeanRegistrationCodeFragments(GenerationContext generation,
                BeanRegistrationCodeFragments fragments) {
            return ofFactory ? new Definition(fragments, structure, types) : fragments;
        }
    }

    private static final class Definition extends BeanRegistrationCodeFragmentsDecorator {

        private final Class<?> structure;
        private final Class<?>[] types;

        Definition(BeanRegistrationCodeFragments fragments, Class<?> structure, Class<?>... types) {
            super(fragments);
            this.structure = structure;
            this.types = types;
        }

        @Override
        public CodeBlock generateNewBeanDefinitionCode(GenerationContext generation, ResolvableType beanType,
                BeanRegistrationCode code) {
            String names = Stream.of(types).map(type -> ", \"" + type.getName() + "\"").collect(Collectors.joining());
            return CodeBlock.builder()
                    .addStatement("$T $L = $T.named($T.class$L)", RootBeanDefinition.class, BEAN_DEFINITION_VARIABLE,
                            StructureDefinition.class, structure, names)
                    .build();
        }
    }
}
