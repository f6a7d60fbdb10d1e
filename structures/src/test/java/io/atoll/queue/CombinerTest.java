package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.queue.Combiner.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which requests are carried out together, and what becomes of each. */
@Timeout(60)
class CombinerTest {

    private static final int MOST = 4;
    private static final int REFUSED = 3;

    private final CountDownLatch allWait = new CountDownLatch(1);
    private final List<List<Integer>> carriedOut = new CopyOnWriteArrayList<>();
    private final ConcurrentHashMap<Integer, Object> outcomes = new ConcurrentHashMap<>();
    private final Combiner<Integer> combiner = new Combiner<>(MOST, this::carryOut);

    /** Lets the first request take so long that all others wait. */
    private void carryOut(List<Request<Integer>> requests) {
        awaitAll();
        carriedOut.add(requests.stream().map(request -> Objects.requireNonNull(request.argument)).toList());
        for (Request<Integer> request : requests) {
            request.carryOut(() -> {
                int number = Objects.requireNonNull(request.argument);
                if (number == REFUSED) {
                    throw new IllegalArgumentException("simulated: refused");
                }
                request.result = -number;
            });
        }
    }

    private void awaitAll() {
        try {
            allWait.await();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    private Thread start(int number) throws InterruptedException {
        Thread thread = Thread.ofVirtual().start(() -> {
            Request<Integer> request = new Request<>(number);
            try {
                combiner.carryOut(request);
                outcomes.put(number, Objects.requireNonNull(request.result));
            } catch (IllegalArgumentException refused) {
                outcomes.put(number, refused.getMessage());
            }
        });
        while (thread.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        return thread;
    }

    private void carryOut(int requests) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < requests; number++) {
            threads.add(start(number));
        }
        allWait.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void requestsThatWaitAreCarriedOutTogetherInTheirOrder() throws Exception {
        carryOut(1 + MOST);
        assertThat(carriedOut).containsExactly(List.of(0), List.of(1, 2, 3, 4));
    }

    @Test
    void requestsThatAreMoreThanGoTogetherAreCarriedOutByThoseThatWait() throws Exception {
        carryOut(1 + 2 * MOST + 1);
        assertThat(carriedOut).containsExactly(List.of(0), List.of(1, 2, 3, 4), List.of(5, 6, 7, 8), List.of(9));
    }

    @Test
    void aRequestThatFailsFailsNoneThatWasTakenWithIt() throws Exception {
        carryOut(1 + MOST);
        IntStream.rangeClosed(0, MOST)
                .forEach(number -> assertThat(outcomes.get(number))
                        .isEqualTo(number == REFUSED ? "simulated: refused" : (Object) (-number)));
    }

    /** Carries requests out where the stack ends, the deepest first, until there is room for one. */
    private void carryOutFrom(int depth, List<Integer> refused) {
        try {
            carryOutFrom(depth + 1, refused);
        } catch (StackOverflowError full) {
            // The caller has a little more room.
        }
        if (carriedOut.size() == 1) {
            try {
                combiner.carryOut(new Request<>(depth));
            } catch (StackOverflowError full) {
                refused.add(depth);
            }
        }
    }

    @Test
    void aRequestThatFindsTheStackFullIsNeverCarriedOut() throws Exception {
        allWait.countDown();
        combiner.carryOut(new Request<>(0)); // its classes are not initialized where the stack is full
        List<Integer> refused = new ArrayList<>();
        Thread.ofPlatform().start(() -> carryOutFrom(REFUSED + 1, refused)).join();
        combiner.carryOut(new Request<>(1));
        assertThat(refused).isNotEmpty();
        assertThat(carriedOut.stream().flatMap(List::stream)).contains(0, 1).doesNotContainAnyElementsOf(refused);
    }
}
