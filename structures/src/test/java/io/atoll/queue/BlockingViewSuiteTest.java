package io.atoll.queue;

import com.google.common.collect.testing.QueueTestSuiteBuilder;
import com.google.common.collect.testing.SampleElements;
import com.google.common.collect.testing.TestQueueGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.testers.CollectionRemoveAllTester;
import com.google.common.collect.testing.testers.CollectionRemoveTester;
import com.google.common.collect.testing.testers.CollectionRetainAllTester;
import io.atoll.GuavaSuite;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs Guava's suite for queues, which the JDK's own queues pass. Its object is the view of a circular queue over real
 * shared memory. The suite's removals from the middle are left out. A ring of tickets gives elements from the head
 * alone. So {@code remove}, {@code removeAll}, {@code retainAll}, {@code removeIf} and iterators refuse to remove.
 */
class BlockingViewSuiteTest {

    @TempDir
    private static Path folder;

    private static SharedRanks ranks;

    @BeforeAll
    static void join() {
        ranks = new SharedRanks(folder, 2);
    }

    @AfterAll
    static void leave() {
        ranks.close();
    }

    @TestFactory
    Stream<DynamicNode> whatEveryQueueDoes() {
        return GuavaSuite.nodes(QueueTestSuiteBuilder.using(new Longs())
                .named("blocking queue")
                .withFeatures(CollectionFeature.SUPPORTS_ADD, CollectionFeature.SUPPORTS_REMOVE,
                        CollectionFeature.KNOWN_ORDER, CollectionSize.ANY)
                .suppressing(removalsFromTheMiddle())
                .createTestSuite());
    }

    private static List<Method> removalsFromTheMiddle() {
        return Stream
                .<Class<?>>of(CollectionRemoveTester.class, CollectionRemoveAllTester.class,
                        CollectionRetainAllTester.class)
                .flatMap(tester -> Stream.of(tester.getDeclaredMethods()))
                .toList();
    }

    /** Opens one of four queues in turn, at the other rank. A queue is emptied before it is used again. */
    private static final class Longs implements TestQueueGenerator<Long> {

        private int created;

        @Override
        public Queue<Long> create(Object... elements) {
            Queue<Long> queue = ranks.worlds.getFirst()
                    .queue("longs" + created++ % 4, Long.class)
                    .capacity(64)
                    .host(1)
                    .open()
                    .asBlockingQueue();
            queue.clear();
            for (Object element : elements) {
                queue.add((Long) element);
            }
            return queue;
        }

        @Override
        public SampleElements<Long> samples() {
            return new SampleElements<>(1L, 2L, 3L, 4L, 5L);
        }

        @Override
        public Long[] createArray(int length) {
            return new Long[length];
        }

        @Override
        public Iterable<Long> order(List<Long> insertionOrder) {
            return insertionOrder;
        }
    }
}
