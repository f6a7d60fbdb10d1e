package io.atoll.spring.documentation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.atoll.spring.autoconfigure.cache.CacheProperties;
import io.atoll.spring.autoconfigure.structure.StructureProperties;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The page of properties says the same as IDEs show. It is made from the metadata, and for structures with names from
 * the records that Spring binds. With {@code -Dproperties.write=true} the test writes the page.
 */
class PropertiesPageTest {

    private static final Path PAGE = Path.of("..", "docs", "properties.md");
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    private static final String OTHERS = "Structures and switches";
    private static final String HEAD = """
            # Properties

            `PropertiesPageTest` makes this page from what the starter says of its properties. [Spring](spring.md) shows an
            application.
            """;

    private record Property(String name, String description, String defaultValue) {

        private static Property of(Map<String, Object> json) {
            return new Property((String) json.get("name"), json.containsKey("description")
                    ? (String) json.get("description")
                    : "", json.containsKey("defaultValue") ? String.valueOf(json.get("defaultValue")) : "");
        }

        private String line() {
            return "| `%s` | %s | %s |%n".formatted(name, description.replaceAll("\\s+", " ").replace("|", "\\|"),
                    defaultValue.isEmpty() ? "" : '`' + defaultValue + '`');
        }
    }

    private final Map<String, List<Property>> sections = new TreeMap<>();

    private void add(String section, Property property) {
        sections.computeIfAbsent(section, _ -> new ArrayList<>()).add(property);
    }

    private void addMetadata() throws IOException {
        for (URL metadata : Collections.list(getClass().getClassLoader().getResources(METADATA))) {
            try (InputStream stream = metadata.openStream()) {
                String text = new String(stream.readAllBytes(), UTF_8);
                for (Map<String, Object> json : JsonPath.<List<Map<String, Object>>>read(text, "$.properties")) {
                    Property property = Property.of(json);
                    if (property.name().startsWith("atoll.")) {
                        add(section(property.name()), property);
                    }
                }
            }
        }
    }

    /** Returns the first two parts of the name. Properties without a group share one section. */
    private static String section(String name) {
        String[] parts = name.split("\\.");
        return parts.length > 2 ? '`' + parts[0] + '.' + parts[1] + '`' : OTHERS;
    }

    /** Adds the settings of named structures, such as those of {@code atoll.maps.NAME}. */
    private void addNamed(String prefix, Class<?> properties) throws IOException {
        for (RecordComponent component : properties.getRecordComponents()) {
            if (component.getGenericType() instanceof ParameterizedType map && map.getRawType() == Map.class
                    && map.getActualTypeArguments()[1] instanceof Class<?> settings && settings.isRecord()) {
                String name = prefix + kebab(component.getName()) + ".NAME";
                Parameter[] parameters = settings.getDeclaredConstructors()[0].getParameters();
                for (int number = 0; number < parameters.length; number++) {
                    String setting = settings.getRecordComponents()[number].getName();
                    DefaultValue value = parameters[number].getAnnotation(DefaultValue.class);
                    add('`' + name + '`', new Property(name + '.' + kebab(setting), described(settings, setting),
                            value == null ? "" : String.join(",", value.value())));
                }
            }
        }
    }

    private static String kebab(String name) {
        return ConfigurationPropertyName.adapt(name.replaceAll("([A-Z])", "-$1"), '.').toString().toLowerCase();
    }

    /** Returns the record's Javadoc of the component. */
    private static String described(Class<?> settings, String component) throws IOException {
        Path source = SOURCES.resolve(settings.getNestHost().getName().replace('.', '/') + ".java");
        Matcher javadoc = Pattern
                .compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s+public record " + settings.getSimpleName() + "\\(",
                        Pattern.DOTALL)
                .matcher(Files.readString(source));
        assertThat(javadoc.find()).as("Javadoc of %s", settings).isTrue();
        return Stream.of(javadoc.group(1).replaceAll("\n\\s*\\*", " ").split("@param "))
                .filter(each -> each.startsWith(component + " "))
                .map(each -> each.substring(component.length()).strip())
                .findFirst()
                .orElseThrow();
    }

    private String page() throws IOException {
        addMetadata();
        addNamed("atoll.", StructureProperties.class);
        addNamed("atoll.", CacheProperties.class);
        StringBuilder page = new StringBuilder(HEAD);
        sections.forEach((section, properties) -> {
            page.append("\n## %s%n%n| Property | Is | Default |%n|---|---|---|%n".formatted(section));
            properties.stream().map(Property::line).sorted().forEach(page::append);
        });
        return page.toString();
    }

    @Test
    void thePageOfPropertiesSaysWhatTheStarterSays() throws IOException {
        String page = page();
        if (Boolean.getBoolean("properties.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }
}
