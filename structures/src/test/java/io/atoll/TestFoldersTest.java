package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.AnnotationSupport;

/** The folder of a test class says what kind of evidence it gives. The tag says the same to Maven. */
class TestFoldersTest {

    private static final Path SOURCES = Path.of("src");
    private static final Path CLASSES = Path.of("target", "test-classes");
    private static final Pattern NAME = Pattern.compile("io/atoll/[\\w/$]+");
    private static final String UNIT = "test";
    private static final String FIXTURES = "fixtures";
    private static final Set<String> KINDS = Set.of("simulation", "processes", "models", "network", "rdma");

    /** The folder of each class, by the name of the class. */
    private static final Map<String, String> FOLDER = new HashMap<>();

    @BeforeAll
    static void readFolders() throws IOException {
        for (String folder : Stream.concat(KINDS.stream(), Stream.of(UNIT, FIXTURES)).toList()) {
            Path root = SOURCES.resolve(folder).resolve("java");
            try (Stream<Path> files = Files.walk(root)) {
                files.map(root::relativize)
                        .map(Path::toString)
                        .filter(file -> file.endsWith(".java") && !file.endsWith("package-info.java"))
                        .map(file -> file.replace(".java", "").replace('/', '.'))
                        .forEach(name -> FOLDER.put(name, folder));
            }
        }
    }

    @Test
    void theTagOfATestClassIsItsFolder() throws ClassNotFoundException {
        Set<String> misplaced = new TreeSet<>();
        for (String name : FOLDER.keySet()) {
            Class<?> type = Class.forName(name, false, TestFoldersTest.class.getClassLoader());
            if (name.endsWith("Test") && !Modifier.isAbstract(type.getModifiers())
                    && !kinds(type).equals(Set.of(FOLDER.get(name)))) {
                misplaced.add(name + ": folder=" + FOLDER.get(name) + ", tags=" + kinds(type));
            }
        }
        assertThat(misplaced).isEmpty();
    }

    /** Returns what the class's tags call evidence. A class that has no such tag is a unit test. */
    private static Set<String> kinds(Class<?> type) {
        Set<String> tags = AnnotationSupport.findRepeatableAnnotations(type, Tag.class)
                .stream()
                .map(Tag::value)
                .filter(KINDS::contains)
                .collect(Collectors.toSet());
        return tags.isEmpty() ? Set.of(UNIT) : tags;
    }

    @Test
    void aFolderUsesOnlyItselfAndTheFixtures() throws IOException {
        Set<String> strays = new TreeSet<>();
        try (Stream<Path> files = Files.walk(CLASSES)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
                String user = outermost(CLASSES.relativize(file).toString().replace(".class", ""));
                for (String used : namedIn(file)) {
                    if (isStray(FOLDER.get(user), FOLDER.get(used))) {
                        strays.add(user + " in " + FOLDER.get(user) + " uses " + used + " in " + FOLDER.get(used));
                    }
                }
            }
        }
        assertThat(strays).isEmpty();
    }

    private static boolean isStray(@Nullable String user, @Nullable String used) {
        return user != null && used != null && !used.equals(FIXTURES) && !used.equals(user);
    }

    /** Returns the classes that the class file names, in descriptors and signatures, too. */
    private static Set<String> namedIn(Path file) throws IOException {
        Set<String> names = new TreeSet<>();
        for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
            if (entry instanceof Utf8Entry text) {
                NAME.matcher(text.stringValue()).results().forEach(name -> names.add(outermost(name.group())));
            }
        }
        return names;
    }

    /** Returns the name of the class that the source file is called after. */
    private static String outermost(String internalName) {
        return internalName.replaceFirst("\\$.*", "").replace('/', '.');
    }
}
