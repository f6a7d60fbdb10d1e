package io.atoll.spring.autoconfigure.structure;

import io.atoll.World;
import io.atoll.codec.kryo.AllowedClasses;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.autoconfigure.AtollProperties;
import io.atoll.spring.autoconfigure.WorldCustomizer;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Creates a bean for each structure that the properties name, with the structure's name and its full generic type. */
@AutoConfiguration(after = AtollAutoConfiguration.class)
@ConditionalOnBean(World.class)
@EnableConfigurationProperties(StructureProperties.class)
@Import(StructureRegistrar.class)
public final class StructureAutoConfiguration {

    @Bean
    ApplicationCodecs atollCodecs(AtollProperties common, ListableBeanFactory beans) {
        return new ApplicationCodecs(beans, AllowedClasses.of(common.codec().allowedClasses()));
    }

    /**
     * Lets structures that the application opens through the world use the same codecs as structures that properties
     * name.
     */
    @Bean
    WorldCustomizer atollWorldCodecs(ApplicationCodecs codecs) {
        return world -> world.codecs(codecs);
    }

    @Bean(StructureRegistrar.FACTORY)
    StructureFactory atollStructureFactory(StructureProperties properties, World world, ApplicationCodecs codecs) {
        return new StructureFactory(properties, world, codecs);
    }
}
