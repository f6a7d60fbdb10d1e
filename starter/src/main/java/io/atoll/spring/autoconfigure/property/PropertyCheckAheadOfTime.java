package io.atoll.spring.autoconfigure.property;

import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.javapoet.MethodSpec;

/**
 * Lets an application that was processed ahead of time make the {@link PropertyCheck} at each start, before its beans
 * are created. It is a bean during the processing only: Spring leaves it out of the generated code.
 */
final class PropertyCheckAheadOfTime implements BeanFactoryInitializationAotProcessor {

    @Override
    public BeanFactoryInitializationAotContribution processAheadOfTime(ConfigurableListableBeanFactory beans) {
        return (generation, code) -> code.addInitializer(
                code.getMethods().add("checkAtollProperties", PropertyCheckAheadOfTime::check).toMethodReference());
    }

    private static void check(MethodSpec.Builder method) {
        method.addJavadoc("Refuses properties that nothing reads.");
        method.addParameter(ConfigurableEnvironment.class, "environment");
        method.addParameter(ResourceLoader.class, "resourceLoader");
        method.addStatement("$T.check(environment, resourceLoader.getClassLoader())", PropertyCheck.class);
    }
}
