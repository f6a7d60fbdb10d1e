package io.atoll.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What the JDK's classes keep of codecs. Servlet containers load an application anew when it is replaced. The class
 * loader of the former one must not stay.
 */
class CodecsOfLoadersTest {

    @Test
    void codecsOfTheJdksTypesDoNotKeepTheClassLoaderOfAtoll() throws Exception {
        List<WeakReference<ClassLoader>> former = List.of(
                loaderThatHasUsed(Codecs.class, Long.class), loaderThatHasUsed(Codecs.class, UUID.class),
                loaderThatHasUsed(VariableCodecs.class, String.class),
                loaderThatHasUsed(VariableCodecs.class, Long.class));
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            System.gc();
            assertThat(former).allSatisfy(loader -> assertThat(loader.get()).isNull());
        });
    }

    @Test
    void aCodecThatIsInUseIsTheOnlyOneOfItsType() {
        Codec<UUID> codec = Codecs.forType(UUID.class);
        System.gc();
        assertThat(Codecs.forType(UUID.class)).isSameAs(codec);
    }

    private static WeakReference<ClassLoader> loaderThatHasUsed(Class<?> codecs, Class<?> type) throws Exception {
        try (var loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            loader.loadClass(codecs.getName()).getMethod("forType", Class.class).invoke(null, type);
            return new WeakReference<>(loader);
        }
    }

    private static URL[] classPath() throws MalformedURLException {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator))) {
            classPath.add(Path.of(entry).toUri().toURL());
        }
        return classPath.toArray(URL[]::new);
    }
}
