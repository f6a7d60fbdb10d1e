package io.atoll.autoconfigure.structure;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.ResolvableType;

/**
 * Names to ahead-of-time processing what is reached by reflection: the records, enums and their parts that the structures of an application are of. Spring finds
 * it in {@code META-INF/spring/aot.factories}.
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
        return (generation, code) -> new BindingReflectionHintsRegistrar()
                .registerReflectionHints(generation.getRuntimeHints().reflection(), types);
    }
}
