package io.atoll.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;

import io.atoll.World;
import io.atoll.codec.VariableCodec;
import io.atoll.codec.VariableCodecs;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.map.DistributedMap;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One class in two versions, as processes have them while they are restarted one after the other. */
class ChangedClassTest {

    private static final AllowedClasses ALLOWED = AllowedClasses.of(List.of("shop.*"));

    @TempDir
    Path folder;

    private final List<URLClassLoader> loaders = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (URLClassLoader loader : loaders) {
            loader.close();
        }
    }

    /** Compiles the class of that name from a source, which may contain further classes. */
    private Class<?> version(String name, String source) throws Exception {
        Path place = Files.createDirectories(folder.resolve("version" + loaders.size()));
        Path file = Files.writeString(place.resolve("Source.java"), "package shop; " + source);
        assertThat(ToolProvider.getSystemJavaCompiler()
                .run(null, null, System.err, "-d", place.toString(),
                        file.toString()))
                .isZero();
        URLClassLoader loader = new URLClassLoader(new URL[]{place.toUri().toURL()}, getClass().getClassLoader());
        loaders.add(loader);
        return loader.loadClass("shop." + name);
    }

    private static Object instance(Class<?> type, Object... arguments) throws Exception {
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(arguments);
    }

    @SuppressWarnings("unchecked")
    private static VariableCodec<Object> codec(Class<?> type) {
        return (VariableCodec<Object>) ObjectCodec.of(type, ALLOWED);
    }

    private static DistributedMap.Builder<String, Object> prices(World world, Class<?> type) {
        return DistributedMap.builder("prices", VariableCodecs.forType(String.class), codec(type), world::participant,
                world.epochs()).capacity(100);
    }

    /** If only the order of the components counted, a gross amount of 119 would be read as a net amount of 119. */
    @Test
    void aRecordWhoseComponentsHaveChangedIsNotReadAsAnother() throws Exception {
        Class<?> before = version("Price", "record Price(int gross, int net) {}");
        Class<?> after = version("Price", "record Price(int net, int tax) {}");
        byte[] stored = codec(before).encode(instance(before, 119, 100));
        assertThat(codec(before).decode(stored)).isEqualTo(instance(before, 119, 100));
        assertThatIllegalArgumentException().isThrownBy(() -> codec(after).decode(stored))
                .withMessageEndingWith("here=shop.Price(net:int,tax:int)");
    }

    @Test
    void aMapIsNotOpenedWithAChangedClassAndBothShapesAreShownUntilTheWorldHasEnded() throws Exception {
        Class<?> before = version("Price", "record Price(int gross, int net) {}");
        Class<?> after = version("Price", "record Price(int net, int tax) {}");
        try (World world = World.named("shapes").segment(8 << 20).open()) {
            prices(world, before).open().put("tea", instance(before, 119, 100));
            assertThatExceptionOfType(ConfigurationMismatchException.class)
                    .isThrownBy(() -> prices(world, after).open())
                    .withMessageContainingAll("shop.Price(gross:int,net:int)", "shop.Price(net:int,tax:int)");
        }
        try (World world = World.named("shapes").segment(8 << 20).open()) {
            prices(world, after).open().put("tea", instance(after, 100, 19));
        }
    }

    @Test
    void theShapeReachesEveryAllowedClassThatItNames() throws Exception {
        String order = "class Order { java.util.Map<String, java.util.List<Line>> lines; Kind[] kind; transient int "
                + "seen; }";
        String kind = " enum Kind { GIFT, SALE }";
        Class<?> first = version("Order", order + kind + " record Line(String text, Order in) {}");
        Class<?> same = version("Order", kind + order + " record Line(String text, Order in) {}");
        assertThat(codec(same).name()).isEqualTo(codec(first).name())
                .contains("shop.Kind[GIFT,SALE]", "shop.Line(text:java.lang.String,in:shop.Order)")
                .doesNotContain("seen");
        for (String changed : List.of(order + kind + " record Line(Order in, String text) {}",
                order + " enum Kind { SALE, GIFT } record Line(String text, Order in) {}",
                order.replace("lines", "items") + kind + " record Line(String text, Order in) {}")) {
            assertThat(codec(version("Order", changed)).name()).as(changed).isNotEqualTo(codec(first).name());
        }
    }

    /** Only the object names the class. */
    @Test
    void aRecordBehindAnInterfaceIsRefusedWhenItIsRead() throws Exception {
        String holder = "class Holder { Object held; Holder(Object held) { this.held = held; } } record Price(";
        Class<?> before = version("Holder", holder + "int gross, int net) {}");
        Class<?> after = version("Holder", holder + "int net, int tax) {}");
        Object price = instance(before.getClassLoader().loadClass("shop.Price"), 119, 100);
        byte[] stored = codec(before).encode(instance(before, price));
        assertThat(codec(after).name()).isEqualTo(codec(before).name());
        assertThatRuntimeException().isThrownBy(() -> codec(after).decode(stored))
                .withMessageContaining("here=shop.Price(net:int,tax:int)");
    }

    /** Only the objects name the enum, so its shape is in no configuration. */
    @Test
    void anEnumBehindAnInterfaceIsReadByNameHoweverItsConstantsAreOrdered() throws Exception {
        String holder = "class Holder { Object held; Holder(Object held) { this.held = held; }"
                + " public String toString() { return held.toString(); } }";
        Class<?> before = version("Holder", holder + " enum Way { FAST, SLOW, NEVER }");
        Class<?> after = version("Holder", holder + " enum Way { SLOW, FAST }");
        Object[] ways = before.getClassLoader().loadClass("shop.Way").getEnumConstants();
        for (Object held : List.of(ways[1], enumSet(ways[1]))) {
            byte[] stored = codec(before).encode(instance(before, held));
            assertThat(codec(after).decode(stored)).hasToString(held.toString());
        }
        byte[] missing = codec(before).encode(instance(before, ways[2]));
        assertThatRuntimeException().isThrownBy(() -> codec(after).decode(missing)).withMessageContaining("NEVER");
    }

    // No enum is known at compile time.
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Object enumSet(Object constant) {
        return EnumSet.of((Enum) constant);
    }

    @Test
    void theShapeOfAnEnumHasTheNamesOfItsConstantsWhateverTheirTextIs() throws Exception {
        String holder = "class Holder { Tag tag; } enum Tag { %s; public String toString() { return \"tag\"; } }";
        assertThat(codec(version("Holder", holder.formatted("A, B"))).name()).contains("shop.Tag[A,B]")
                .isNotEqualTo(codec(version("Holder", holder.formatted("B, A"))).name());
    }
}
