package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

class LocalEpochManagerTest {

    private final List<Long> freed = new ArrayList<>();
    private final LocalEpochManager epochs = new LocalEpochManager(3,
            (pointers, count) -> Arrays.stream(pointers, 0, count).forEach(freed::add));

    private static void retire(Token token, long... pointers) {
        try (Pin _ = token.pin()) {
            for (long pointer : pointers) {
                token.retire(pointer, 0);
            }
        }
    }

    @Test
    void aRetiredObjectIsFreedTwoEpochsLater() {
        try (Token token = epochs.register()) {
            retire(token, 7, 8);
            assertThat(token.tryReclaim()).isZero();
            assertThat(freed).isEmpty();
            assertThat(token.tryReclaim()).isEqualTo(2);
            assertThat(freed).containsExactly(7L, 8L);
        }
    }

    @Test
    void nothingIsFreedWhileATokenIsPinnedThatWasPinnedBefore() {
        try (Token reader = epochs.register(); Token token = epochs.register()) {
            reader.pin();
            retire(token, 7);
            for (int attempt = 0; attempt < 5; attempt++) {
                assertThat(token.tryReclaim()).isZero();
            }
            reader.unpin();
            assertThat(token.tryReclaim()).isOne();
        }
    }

    @Test
    void everythingIsFreedOnlyWhileNobodyIsPinned() {
        Token token = epochs.register();
        retire(token, 7);
        token.pin();
        assertThatIllegalStateException().isThrownBy(epochs::clear).withMessageContaining("epoch=");
        token.unpin();
        assertThat(epochs.clear()).isOne();
        retire(token, 8);
        token.unregister();
        assertThat(epochs.clear()).isOne();
        assertThat(freed).containsExactly(7L, 8L);
    }

    @Test
    void aFullTableNamesItsSizeAndTokensOfEndedThreadsMakeRoom() throws Exception {
        epochs.register();
        epochs.register();
        Thread thread = Thread.ofPlatform().start(() -> {
            Token token = epochs.register();
            token.pin();
            token.retire(9, 0);
        });
        thread.join();
        epochs.register();
        assertThatIllegalStateException().isThrownBy(epochs::register).withMessageContaining("tokens=3");
        assertThat(epochs.clear()).isOne();
    }

    @Test
    void aThreadThatEndedWhileItWasPinnedHoldsNothingUp() throws Exception {
        Thread thread = Thread.ofPlatform().start(() -> epochs.register().pin());
        thread.join();
        try (Token token = epochs.register()) {
            epochs.tryReclaim();
            retire(token, 7);
            assertThat(token.tryReclaim() + token.tryReclaim() + token.tryReclaim()).isOne();
        }
    }

    @Test
    void whoIsPinnedAndWhatWaitsIsShown() {
        try (Token reader = epochs.register(); Token token = epochs.register()) {
            reader.pin();
            token.pin();
            token.retire(7, 64);
            token.retire(8, 64);
            token.unpin();
            token.tryReclaim();
            LocalEpochManager.Snapshot snapshot = epochs.snapshot();
            assertThat(snapshot.epoch()).isOne();
            assertThat(snapshot.limbo()).containsExactly(new EpochSnapshot.Limbo(0, 2, 128, List.of()));
            assertThat(snapshot.tokens()).filteredOn(EpochSnapshot.TokenState::pinned)
                    .singleElement()
                    .satisfies(state -> {
                        assertThat(state.thread()).isEqualTo(Thread.currentThread().getName());
                        assertThat(state.blocks()).isTrue();
                    });
            reader.unpin();
            token.tryReclaim();
        }
        assertThat(epochs.snapshot()).isEqualTo(new LocalEpochManager.Snapshot(2, List.of(), List.of(), 2, 2, 0, 2, 0));
    }

    @Test
    void whatCannotBeFreedHoldsUpNothingElse() {
        var picky = new LocalEpochManager(1, (pointers, count) -> {
            if (pointers[0] == 13) {
                throw new IllegalArgumentException("pointer=13");
            }
            freed.add(pointers[0]);
        });
        try (Token token = picky.register()) {
            token.pin();
            for (long pointer : new long[]{1, 13, 2}) {
                token.retire(pointer, 0);
                token.tryReclaim();
            }
            token.unpin();
            int refusals = 0;
            for (int attempt = 0; attempt < 5; attempt++) {
                try {
                    token.tryReclaim();
                } catch (IllegalArgumentException refused) {
                    refusals++;
                }
            }
            assertThat(refusals).isOne();
            assertThat(picky.snapshot().lost()).isOne();
            assertThat(picky.snapshot().limbo()).isEmpty();
            assertThat(freed).containsExactlyInAnyOrder(1L, 2L);
        }
    }

    /** Objects are indices; a freed one is marked, and given out again. */
    @Test
    void manyThreadsNeverSeeAnObjectThatWasFreed() throws Exception {
        int objects = 4_096;
        var alive = new AtomicLongArray(objects);
        var stock = new ConcurrentLinkedQueue<Long>();
        for (long object = 2; object < objects; object++) {
            stock.add(object);
        }
        var shared = new LocalEpochManager(8, (pointers, count) -> {
            for (int index = 0; index < count; index++) {
                assertThat(alive.getAndSet((int) pointers[index], 0)).as("freed once").isOne();
                stock.add(pointers[index]);
            }
        });
        var word = new AtomicLong(1);
        alive.set(1, 1);
        try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
            List<Future<?>> threads = new ArrayList<>();
            for (int number = 0; number < 4; number++) {
                var random = new SplittableRandom(number);
                threads.add(executor.submit(() -> replaceAndRead(shared, word, alive, stock, random)));
            }
            for (Future<?> thread : threads) {
                thread.get();
            }
        }
        shared.clear();
        assertThat(stock).hasSize(objects - 2);
    }

    private static void replaceAndRead(LocalEpochManager epochs, AtomicLong word, AtomicLongArray alive,
            Queue<Long> stock, SplittableRandom random) {
        try (Token token = epochs.register()) {
            for (int operation = 0; operation < 20_000; operation++) {
                Long created = random.nextBoolean() ? stock.poll() : null;
                try (Pin _ = token.pin()) {
                    if (created != null) {
                        alive.set(created.intValue(), 1);
                        token.retire(word.getAndSet(created), 0);
                    }
                    assertThat(alive.get((int) word.get())).as("use after free").isOne();
                }
                if (operation % 64 == 0) {
                    token.tryReclaim();
                }
            }
        }
    }
}
