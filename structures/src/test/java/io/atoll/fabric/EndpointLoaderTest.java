package io.atoll.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.shm.SharedMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a thread keeps of an application that a servlet container has replaced, and that has used shared memory. */
class EndpointLoaderTest {

    private static final long SEGMENT_BYTES = 128 << 10;

    @TempDir
    Path folder;

    /** Uses the buffers that a thread has at an endpoint, by a class loader of its own. */
    public static final class Use implements Consumer<Path> {

        @Override
        public void accept(Path folder) {
            var world = new WorldIdentity("loaded", 2);
            try (Attachment attachment = new SharedMemory(folder, false).attach(world, OptionalInt.of(0),
                    SEGMENT_BYTES)) {
                var endpoint = new Endpoint(attachment.fabric());
                endpoint.scratch(Long.BYTES);
                for (Batch batch : List.of(endpoint.batch(0), endpoint.batch())) {
                    batch.writeWord(0, SegmentHeader.size(world.maxSize()), 1);
                    batch.complete();
                }
            }
        }
    }

    @Test
    void aThreadThatLivesOnDoesNotKeepTheClassLoaderOfAnEndpointThatIsGone() throws Exception {
        WeakReference<ClassLoader> former = loaderWhoseEndpointThisThreadHasUsed();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            System.gc();
            assertThat(former.get()).isNull();
        });
    }

    @SuppressWarnings("unchecked")
    private WeakReference<ClassLoader> loaderWhoseEndpointThisThreadHasUsed() throws Exception {
        Path own = Files.createDirectory(folder.resolve("own"));
        try (var loader = new URLClassLoader(classes(), ClassLoader.getPlatformClassLoader())) {
            Class<?> loaded = loader.loadClass(Use.class.getName());
            assertThat(loaded).isNotEqualTo(Use.class);
            ((Consumer<Path>) loaded.getConstructor().newInstance()).accept(own);
            return new WeakReference<>(loader);
        }
    }

    private static URL[] classes() {
        List<URL> all = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            try {
                all.add(Path.of(entry).toUri().toURL());
            } catch (IOException malformed) {
                throw new UncheckedIOException(malformed);
            }
        }
        return all.toArray(URL[]::new);
    }
}
