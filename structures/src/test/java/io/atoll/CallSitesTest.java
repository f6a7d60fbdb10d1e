package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.ConstantPool;
import java.lang.classfile.constantpool.InvokeDynamicEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.constant.ClassDesc;
import java.lang.invoke.StringConcatFactory;
import java.lang.runtime.SwitchBootstraps;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Code that runs after an error must need no call site that is linked when it is first reached. Linking takes memory
 * and stack, and a call site whose linking has failed may fail for ever.
 */
class CallSitesTest {

    private static final int FEWEST_CLASSES = 500;

    // The pools by names of classes.
    private static final Map<String, ConstantPool> POOLS = new HashMap<>();

    @BeforeAll
    static void readClasses() throws IOException, URISyntaxException {
        Path classes = Path.of(World.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
                var type = ClassFile.of().parse(file);
                POOLS.put(type.thisClass().asInternalName(), type.constantPool());
            }
        }
        assertThat(POOLS).hasSizeGreaterThan(FEWEST_CLASSES);
    }

    @Test
    void concatenationsNeedNoLinking() {
        assertThat(classesThat(site -> isLinkedBy(StringConcatFactory.class, site))).isEmpty();
    }

    @Test
    void switchesOverFailuresNeedNoLinking() {
        assertThat(classesThat(site -> isLinkedBy(SwitchBootstraps.class, site) && labels(site)
                .anyMatch(CallSitesTest::isFailure))).isEmpty();
    }

    private interface Site {
        boolean matches(InvokeDynamicEntry site);
    }

    private static List<String> classesThat(Site wanted) {
        return POOLS.entrySet()
                .stream()
                .filter(type -> entries(type.getValue())
                        .anyMatch(entry -> entry instanceof InvokeDynamicEntry site && wanted.matches(site)))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    private static Stream<PoolEntry> entries(ConstantPool pool) {
        return StreamSupport.stream(pool.spliterator(), false);
    }

    private static boolean isLinkedBy(Class<?> factory, InvokeDynamicEntry site) {
        return owner(site).equals(factory.describeConstable().orElseThrow());
    }

    private static ClassDesc owner(InvokeDynamicEntry site) {
        return site.bootstrap().bootstrapMethod().reference().owner().asSymbol();
    }

    private static Stream<String> labels(InvokeDynamicEntry site) {
        return site.bootstrap()
                .arguments()
                .stream()
                .filter(ClassEntry.class::isInstance)
                .map(label -> ((ClassEntry) label).asInternalName().replace('/', '.'));
    }

    private static boolean isFailure(String label) {
        try {
            return Throwable.class.isAssignableFrom(Class.forName(label, false, World.class.getClassLoader()));
        } catch (ClassNotFoundException missing) {
            throw new AssertionError(label, missing);
        }
    }
}
