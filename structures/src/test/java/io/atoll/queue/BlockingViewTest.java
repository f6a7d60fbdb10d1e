package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.atoll.failure.DrainException;
import java.nio.file.Path;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockingViewTest {

    @TempDir
    Path folder;

    private SharedRanks ranks;
    private BlockingQueue<Long> queue;

    @BeforeEach
    void join() {
        ranks = new SharedRanks(folder, 1);
        queue = ranks.worlds.getFirst().queue("jobs", Long.class).capacity(3).open().asBlockingQueue();
    }

    @AfterEach
    void leave() {
        ranks.close();
    }

    @Test
    void itIsAQueueOfTheJdk() throws InterruptedException {
        assertThat(queue.add(1L)).isTrue();
        assertThat(queue.offer(2L)).isTrue();
        queue.put(3L);
        assertThat(queue).hasSize(3).containsExactly(1L, 2L, 3L).contains(2L);
        assertThat(queue.remainingCapacity()).isZero();
        assertThat(queue.offer(4L)).isFalse();
        assertThat(queue.offer(4L, 1, TimeUnit.MILLISECONDS)).isFalse();
        assertThatThrownBy(() -> queue.add(4L)).isInstanceOf(IllegalStateException.class);
        assertThat(queue.peek()).isEqualTo(1);
        assertThat(queue.element()).isEqualTo(1);
        assertThat(queue.remove()).isEqualTo(1);
        assertThat(queue.poll()).isEqualTo(2);
        assertThat(queue.take()).isEqualTo(3);
        assertThat(queue.poll()).isNull();
        assertThat(queue.poll(1, TimeUnit.MILLISECONDS)).isNull();
        assertThat(queue.peek()).isNull();
        assertThatThrownBy(queue::remove).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void whatTheTargetOfADrainRefusesIsInTheException() {
        List<Long> elements = List.of(1L, 2L, 3L);
        queue.addAll(elements);
        BlockingQueue<Long> target = new ArrayBlockingQueue<>(1);
        DrainException refused = catchThrowableOfType(DrainException.class, () -> queue.drainTo(target));
        assertThat(target).containsExactly(1L);
        assertThat(refused.elements()).isEqualTo(List.of(2L, 3L));
        assertThat(refused).hasMessageEndingWith(": structure=jobs elements=2")
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThat(refused.structure()).contains("jobs");
        assertThat(queue).isEmpty();
    }

    @Test
    void anErrorOfTheTargetIsThrownAsItIsAndCarriesTheElements() {
        queue.addAll(List.of(1L, 2L));
        Collection<Long> target = new AbstractCollection<>() {
            @Override
            public boolean add(Long element) {
                throw new OutOfMemoryError("the target's");
            }

            @Override
            public Iterator<Long> iterator() {
                return Collections.emptyIterator();
            }

            @Override
            public int size() {
                return 0;
            }
        };
        assertThat(catchThrowableOfType(OutOfMemoryError.class, () -> queue.drainTo(target)).getSuppressed())
                .singleElement()
                .isInstanceOfSatisfying(DrainException.class,
                        untaken -> assertThat(untaken.elements()).isEqualTo(List.of(1L, 2L)));
    }

    @Test
    void aWaitOfLongMaxValueInAnyUnitHasNoEnd() throws InterruptedException {
        queue.add(1L);
        assertThat(queue.poll(Long.MAX_VALUE, TimeUnit.DAYS)).isEqualTo(1);
        assertThat(queue.offer(2L, Long.MAX_VALUE, TimeUnit.NANOSECONDS)).isTrue();
    }

    @Test
    void itIsDrainedInItsOrder() {
        queue.addAll(List.of(1L, 2L, 3L));
        List<Long> drained = new ArrayList<>();
        assertThat(queue.drainTo(drained, 2)).isEqualTo(2);
        assertThat(queue.drainTo(drained, 0)).isZero();
        assertThat(queue.drainTo(drained)).isEqualTo(1);
        assertThat(drained).containsExactly(1L, 2L, 3L);
        assertThat(queue.drainTo(drained)).isZero();
        assertThatThrownBy(() -> queue.drainTo(queue)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> queue.drainTo(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void elementsAreNeitherNullNorRemovedFromTheMiddle() {
        queue.add(1L);
        Iterator<Long> elements = queue.iterator();
        elements.next();
        assertThatThrownBy(elements::remove).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> queue.remove(1L)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> queue.offer(null)).isInstanceOf(NullPointerException.class);
        queue.clear();
        assertThat(queue).isEmpty();
    }
}
