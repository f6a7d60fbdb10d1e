package io.atoll.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What a thread keeps of an application that a servlet container has replaced: its threads live on. */
class PerThreadLoaderTest {

    @Test
    void aThreadThatLivesOnDoesNotKeepTheClassLoaderOfAFabricThatIsGone() throws Exception {
        WeakReference<ClassLoader> former = loaderWhoseFabricThisThreadHasUsed();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            System.gc();
            assertThat(former.get()).isNull();
        });
    }

    private static WeakReference<ClassLoader> loaderWhoseFabricThisThreadHasUsed() throws Exception {
        URL classes = PerThread.class.getProtectionDomain().getCodeSource().getLocation();
        try (var loader = new URLClassLoader(new URL[]{classes}, ClassLoader.getPlatformClassLoader())) {
            Class<?> loaded = loader.loadClass(PerThread.class.getName());
            Supplier<Object> first = Object::new;
            Object values = loaded.getConstructor(Supplier.class).newInstance(first);
            assertThat(loaded.getMethod("value").invoke(values)).isNotNull();
            return new WeakReference<>(loader);
        }
    }
}
