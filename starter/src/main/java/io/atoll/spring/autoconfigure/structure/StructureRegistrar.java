package io.atoll.spring.autoconfigure.structure;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers a bean for each structure that the properties name, with the generic type that injection asks for. A name
 * with dashes gets an alias in camel case, so that a parameter can have this name. If the application has defined a
 * bean of the same name, no other bean is registered.
 */
final class StructureRegistrar implements ImportBeanDefinitionRegistrar, EnvironmentAware, BeanClassLoaderAware {

    /** The name of the bean that creates the structures. */
    static final String FACTORY = "atollStructureFactory";

    private static final Logger LOG = LoggerFactory.getLogger(StructureRegistrar.class);

    private StructureProperties properties = new Binder().bindOrCreate("atoll", StructureProperties.class);
    private @Nullable ClassLoader classLoader;

    @Override
    public void setEnvironment(Environment environment) {
        properties = Binder.get(environment).bindOrCreate("atoll", StructureProperties.class);
    }

    @Override
    public void setBeanClassLoader(ClassLoader classLoader) {
        this.classLoader = classLoader;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        Map<String, String> propertiesByName = new HashMap<>();
        for (StructureKind<?, ?> kind : StructureKind.ALL) {
            for (String name : kind.names(properties)) {
                String other = propertiesByName.putIfAbsent(name, kind.property(name));
                if (other != null) {
                    throw new InvalidConfigurationPropertyValueException(kind.property(name), name,
                            "a world has one structure of a name, and this one is that of " + other);
                }
                register(kind, name, registry);
            }
        }
    }

    private void register(StructureKind<?, ?> kind, String name, BeanDefinitionRegistry registry) {
        if (registry.containsBeanDefinition(name)) {
            LOG.info("the application has a bean of this name, so none is made: property={}", kind.property(name));
            return;
        }
        Class<?>[] typeArguments = kind.typeArguments(properties, name, classLoader);
        RootBeanDefinition definition = StructureDefinition.of(kind.type(), typeArguments);
        definition.setFactoryBeanName(FACTORY);
        definition.setFactoryMethodName(StructureFactory.METHOD);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, kind.property());
        definition.getConstructorArgumentValues().addIndexedArgumentValue(1, name);
        definition.setDescription("named by " + kind.property(name));
        registry.registerBeanDefinition(name, definition);
        String alias = camelCase(name);
        if (!registry.isBeanNameInUse(alias)) {
            registry.registerAlias(name, alias);
        }
    }

    private static String camelCase(String name) {
        StringBuilder camelCase = new StringBuilder();
        for (String word : name.split("-")) {
            boolean first = camelCase.isEmpty() || word.isEmpty();
            camelCase.append(first ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return camelCase.toString();
    }
}
