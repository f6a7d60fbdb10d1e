package io.atoll.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class GraphPoolTest {

    private static final int THREADS = 10_000;

    record Value(int number, List<String> texts) {}

    private final AtomicInteger made = new AtomicInteger();

    private GraphPool pool(int atLeast) {
        return new GraphPool(() -> {
            made.incrementAndGet();
            return new ObjectGraphs(null, AllowedClasses.common());
        }, atLeast);
    }

    @Test
    void oneIsUsedAgain() {
        GraphPool pool = pool(4);
        ObjectGraphs first = pool.with(each -> each);
        assertThat(pool.<ObjectGraphs>with(each -> each)).isSameAs(first);
        assertThat(made).hasValue(1);
    }

    @Test
    void oneThatIsInUseIsNotLentAgain() {
        GraphPool pool = pool(4);
        pool.with(outer -> pool.with(inner -> assertThat(inner).isNotSameAs(outer)));
        assertThat(made).hasValue(2);
        assertThat(pool.size()).isEqualTo(2);
    }

    @Test
    void moreThanThePoolKeepsAreMadeAndDropped() {
        GraphPool pool = pool(1);
        pool.with(_ -> pool.with(_ -> pool.with(each -> each)));
        assertThat(made).hasValue(3);
        assertThat(pool.size()).isOne();
    }

    @Test
    void afterAnExceptionItIsKeptAndAfterAnErrorDropped() {
        GraphPool pool = pool(1);
        assertThatIllegalStateException().isThrownBy(() -> pool.with(_ -> {
            throw new IllegalStateException();
        }));
        assertThat(pool.size()).isOne();
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> pool.with(_ -> {
            throw new StackOverflowError();
        }));
        assertThat(pool.size()).isZero();
    }

    /** All threads live until the last one has stored and read its value. */
    @Test
    void tenThousandThreadsKeepAsManyAsThereAreProcessors() throws Exception {
        ObjectCodec<Value> codec = ObjectCodec.of(Value.class, AllowedClasses.common());
        CountDownLatch done = new CountDownLatch(THREADS);
        List<Future<Boolean>> running = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                running.add(executor.submit(() -> {
                    try {
                        Value value = new Value(number, List.of("some", "texts"));
                        return codec.decode(codec.encode(value)).equals(value);
                    } finally {
                        done.countDown();
                        done.await();
                    }
                }));
            }
            for (Future<Boolean> each : running) {
                assertThat(each.get()).isTrue();
            }
        }
        assertThat(codec.idleGraphs()).isBetween(1, 4 * Runtime.getRuntime().availableProcessors());
    }
}
