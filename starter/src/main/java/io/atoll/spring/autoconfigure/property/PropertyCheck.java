package io.atoll.spring.autoconfigure.property;

import io.atoll.spring.autoconfigure.property.PropertyNames.Root;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.ClassUtils;

/**
 * Refuses each property under {@code atoll.} that none of Atoll's auto-configurations reads. The conditions of the
 * auto-configurations do not matter. Environment variables and system properties are not checked, since other programs
 * may have set them.
 *
 * <p>The check is imported because Spring processes imports before it binds any property. An application that was
 * processed ahead of time imports nothing when it starts. There {@link PropertyCheckAheadOfTime} makes the check.
 */
public final class PropertyCheck implements ImportBeanDefinitionRegistrar, EnvironmentAware, BeanClassLoaderAware {

    private static final ConfigurationPropertyName ALL = ConfigurationPropertyName.of("atoll");
    private static final String OURS = "io.atoll.";

    private Environment environment = new StandardEnvironment();
    private @Nullable ClassLoader classLoader;

    @Override
    public void setEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void setBeanClassLoader(ClassLoader classLoader) {
        this.classLoader = classLoader;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        check(environment, classLoader);
        registry.registerBeanDefinition(PropertyCheckAheadOfTime.class.getName(),
                new RootBeanDefinition(PropertyCheckAheadOfTime.class));
    }

    /**
     * Makes the check. Called by code that was generated ahead of time.
     *
     * @throws UnknownPropertyException if a property is set that nothing reads
     */
    public static void check(Environment environment, @Nullable ClassLoader classLoader) {
        PropertyNames known = known(classLoader);
        var readByUs = new UnboundElementsSourceFilter();
        StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false)
                .filter(readByUs::apply)
                .filter(IterableConfigurationPropertySource.class::isInstance)
                .flatMap(source -> ((IterableConfigurationPropertySource) source).stream()
                        .filter(name -> ALL.isAncestorOf(name) && !known.contains(name))
                        .map(source::getConfigurationProperty))
                .findFirst()
                .ifPresent(unknown -> {
                    throw new UnknownPropertyException(unknown, known.nearest(unknown.getName()));
                });
    }

    private static PropertyNames known(@Nullable ClassLoader classLoader) {
        MetadataReaderFactory classes = new SimpleMetadataReaderFactory(classLoader);
        List<Root> roots = StreamSupport
                .stream(ImportCandidates.load(AutoConfiguration.class, classLoader).spliterator(), false)
                .filter(name -> name.startsWith(OURS))
                .flatMap(name -> roots(name, classes, classLoader))
                .toList();
        return new PropertyNames(roots);
    }

    /** Reads the class file instead of loading the class, since the classes of its conditions may be absent. */
    private static Stream<Root> roots(String autoConfiguration, MetadataReaderFactory classes,
            @Nullable ClassLoader classLoader) {
        try {
            Map<String, @Nullable Object> properties = classes.getMetadataReader(autoConfiguration)
                    .getAnnotationMetadata()
                    .getAnnotationAttributes(EnableConfigurationProperties.class.getName(), true);
            return properties == null
                    ? Stream.of()
                    : Arrays.stream((String[]) properties.getOrDefault("value", new String[0]))
                            .map(name -> root(name, classLoader));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Root root(String className, @Nullable ClassLoader classLoader) {
        Class<?> type = ClassUtils.resolveClassName(className, classLoader);
        ConfigurationProperties bound = AnnotatedElementUtils.getMergedAnnotation(type, ConfigurationProperties.class);
        String prefix = Objects.requireNonNull(bound, className).prefix();
        return new Root(ConfigurationPropertyName.of(prefix), type);
    }
}
