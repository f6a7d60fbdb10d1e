package io.atoll.fabric;

import static io.atoll.fabric.ConcurrentRanks.at;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** That atomics of the fabric, by however many threads of however many ranks, lose nothing of each other. */
interface AtomicityContract extends ConcurrentRanks {

    @Test
    default void noAdditionIsLost() throws Exception {
        everywhere((fabric, number) -> {
            for (int i = 0; i < rounds(); i++) {
                if (i % 2 == 0) {
                    fabric.getAndAdd(1, line(0), 1);
                } else {
                    Batch batch = fabric.batch();
                    batch.getAndAdd(1, line(0), 1);
                    batch.complete();
                }
            }
        });
        assertThat(fabric(0).readWord(1, line(0))).isEqualTo(2L * THREADS * rounds());
    }

    @Test
    default void oneOfManyExchangesWins() throws Exception {
        var won = new AtomicLong();
        everywhere((fabric, number) -> {
            long count = 0;
            while (count < rounds()) {
                long found = fabric.compareAndExchange(1, line(0), count, count + 1);
                if (found == count) {
                    won.incrementAndGet();
                }
                count = found == count ? count + 1 : found;
            }
        });
        assertThat(won.get()).isEqualTo(rounds());
        assertThat(fabric(0).readWord(1, line(0))).isEqualTo(rounds());
    }

    @Test
    default void everyBitIsNewToOneThreadOnly() throws Exception {
        var newToMe = new AtomicInteger();
        everywhere((fabric, number) -> {
            for (int bit = 0; bit < 64; bit++) {
                long mask = 1L << (bit + number) % 64;
                if ((fabric.getAndBitwiseOr(1, line(0), mask) & mask) == 0) {
                    newToMe.incrementAndGet();
                }
            }
        });
        assertThat(newToMe.get()).isEqualTo(64);
        assertThat(fabric(0).readWord(1, line(0))).isEqualTo(-1);
    }

    @Test
    default void endpointsOfTheOwnerAndOfOthersLoseNothing() throws Exception {
        everywhere((fabric, number) -> {
            var endpoint = new Endpoint(fabric);
            for (int i = 0; i < rounds(); i++) {
                endpoint.getAndAdd(1, line(0), 1);
                endpoint.getAndBitwiseOr(1, line(1), 1L << i % 64);
                Batch batch = endpoint.batch(1);
                batch.getAndAdd(1, line(0), 1);
                batch.complete();
            }
        });
        assertThat(fabric(0).readWord(1, line(0))).isEqualTo(4L * THREADS * rounds());
    }
}
