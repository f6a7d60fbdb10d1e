package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.TwoRanks;
import io.atoll.failure.CodecException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A record uses a structure in the middle of an operation. It is refused as a codec of the application is. */
class AskingRecordTest extends TwoRanks {

    private static final ThreadLocal<Runnable> QUESTION = ThreadLocal.withInitial(() -> () -> {});

    /** Asks something when it is made. */
    private record Asking(long value) {
        Asking {
            QUESTION.get().run();
        }
    }

    /** Asks something when it is taken apart. */
    private record Answering(long value) {
        @Override
        public long value() {
            QUESTION.get().run();
            return value;
        }
    }

    private record Around(Asking asking, long other) {}

    private LongLongMap asked;

    AskingRecordTest() {
        super(16 << 20);
    }

    @BeforeEach
    void open() {
        asked = worlds.getFirst().longMap("asked").open();
    }

    private <V> DistributedMap<Long, V> map(Class<V> values) {
        return worlds.getFirst().map("map", Long.class, values).open();
    }

    private void assertIsRefused(ThrowingCallable use) {
        QUESTION.set(() -> asked.put(1, 2));
        assertThatExceptionOfType(CodecException.class).isThrownBy(use)
                .withMessageContaining("structure=map")
                .havingRootCause()
                .isInstanceOf(IllegalStateException.class)
                .withMessageContaining("a codec must not use a structure");
        QUESTION.remove();
        assertThat(asked.containsKey(1)).isFalse();
    }

    @Test
    void aConstructorThatUsesAStructureIsRefused() {
        DistributedMap<Long, Asking> map = map(Asking.class);
        map.put(1L, new Asking(11));
        assertIsRefused(() -> map.get(1L));
        assertThat(map.get(1L)).isEqualTo(new Asking(11));
    }

    @Test
    void soIsThatOfAComponent() {
        DistributedMap<Long, Around> map = map(Around.class);
        map.put(1L, new Around(new Asking(11), 12));
        assertIsRefused(() -> map.get(1L));
        assertThat(map.get(1L)).isEqualTo(new Around(new Asking(11), 12));
    }

    @Test
    void anAccessorThatUsesAStructureIsRefused() {
        DistributedMap<Long, Answering> map = map(Answering.class);
        var value = new Answering(11);
        assertIsRefused(() -> map.put(1L, value));
        assertThat(map.get(1L)).isNull();
    }
}
