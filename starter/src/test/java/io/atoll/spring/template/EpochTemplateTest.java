package io.atoll.spring.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.atoll.World;
import io.atoll.memory.GlobalPointer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class EpochTemplateTest {

    private static final int THREADS = 2_000;

    private World world;
    private EpochTemplate epochs;

    @BeforeEach
    void open() {
        world = World.named("templates").segment(4 << 20).open();
        epochs = new EpochTemplate(world.epochs());
    }

    @AfterEach
    void close() {
        world.close();
    }

    private GlobalPointer object() {
        return world.participant().heap().allocatePointer(0, 64);
    }

    /** These are more threads than a rank has tokens. All of them live until the last one is done. */
    @Test
    void twoThousandThreadsPinAndRetire() throws Exception {
        assertThat(THREADS).isGreaterThan(world.epochs().settings().tokens());
        CountDownLatch done = new CountDownLatch(THREADS);
        List<Future<Boolean>> running = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int thread = 0; thread < THREADS; thread++) {
                running.add(executor.submit(() -> {
                    try {
                        epochs.pinned(() -> {
                            GlobalPointer object = object();
                            Thread.yield();
                            epochs.retire(object);
                        });
                    } finally {
                        done.countDown();
                    }
                    done.await();
                    return true;
                }));
            }
            for (Future<Boolean> each : running) {
                assertThat(each.get()).isTrue();
            }
        }
        long freed = 0;
        for (int advance = 0; advance < 4; advance++) {
            freed += epochs.tryReclaim();
        }
        assertThat(freed).isEqualTo(THREADS);
    }

    @Test
    void workWithinWorkIsPinnedUntilTheOuterOneEnds() {
        epochs.pinned(() -> {
            epochs.pinned(() -> epochs.retire(object()));
            epochs.retire(object());
            assertThat(world.epochs().pinned().isPinned()).isTrue();
        });
        assertThatIllegalStateException().isThrownBy(() -> world.epochs().pinned());
        assertThat(world.epochs().clear()).isEqualTo(2);
    }

    @Test
    void aThreadThatKeepsATokenOfItsOwnIsPinnedUnderThatOne() {
        assertThat(epochs.<Boolean>pinned(() -> world.epochs().pinned() == world.epochs().token())).isFalse();
        assertThat(epochs.<Boolean>pinned(() -> world.epochs().pinned() == world.epochs().token())).isTrue();
        epochs.pinned(() -> epochs.retire(object()));
        assertThat(world.epochs().clear()).isOne();
    }

    @Test
    void workThatFailsIsPinnedNoMore() {
        assertThatIllegalStateException().isThrownBy(() -> epochs.pinned((Runnable) () -> {
            throw new IllegalStateException("the work has failed");
        })).withMessage("the work has failed");
        assertThatIllegalStateException().isThrownBy(() -> world.epochs().pinned());
        assertThat(world.epochs().clear()).isZero();
    }

    @Test
    void retiringOutsideOfWorkIsRefused() {
        GlobalPointer object = object();
        assertThatIllegalStateException().isThrownBy(() -> epochs.retire(object))
                .withMessageStartingWith("the calling thread is not pinned: thread=");
    }
}
