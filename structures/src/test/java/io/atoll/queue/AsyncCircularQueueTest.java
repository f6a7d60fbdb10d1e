package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.completion.Completions;
import io.atoll.fabric.trace.Delay;
import io.atoll.failure.CodecException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Asynchronous pushes and pops that are carried out together. */
@Timeout(60)
class AsyncCircularQueueTest {

    private static final int ELEMENTS = 40;
    private static final long UNREADABLE = 1_000;

    @TempDir
    private Path folder;

    /** An element that cannot be stored if its number is negative, nor read again if that is too large. */
    record Element(long number) {

        Element {
            if (number > UNREADABLE) {
                throw new IllegalStateException("simulated: not to be read");
            }
        }

        @Override
        public long number() {
            if (number < 0) {
                throw new IllegalStateException("simulated: not to be stored");
            }
            return number;
        }
    }

    /** Opens a rank. The queue is at another one, since operations on memory that is mapped are not combined. */
    private World open(int rank) {
        return World.named("async-queue")
                .size(2)
                .rank(rank)
                .segment(4 << 20)
                .fabric(Fabrics.delayed(Fabrics.sharedMemory(folder, false), Delay.of(Duration.ofMillis(1))))
                .open();
    }

    private static CircularQueue<Element> queueAt(World host, World world, long capacity) {
        return world.queue("queue", Element.class).capacity(capacity).host(host.rank()).open();
    }

    @Test
    void anElementThatCannotBeEncodedFailsItsOwnPushAlone() {
        try (World world = open(0); World host = open(1); Completions completions = new Completions(ELEMENTS)) {
            CircularQueue<Element> queue = queueAt(host, world, 2 * ELEMENTS);
            AsyncCircularQueue<Element> async = queue.async(completions);
            List<CompletableFuture<Boolean>> pushes = new ArrayList<>();
            for (int number = 0; number < ELEMENTS; number++) {
                pushes.add(async.push(new Element(number % 10 == 5 ? -1 : number)).toCompletableFuture());
            }
            completions.join();
            for (int number = 0; number < ELEMENTS; number++) {
                CompletableFuture<Boolean> push = pushes.get(number);
                if (number % 10 == 5) {
                    assertThatThrownBy(push::join).hasCauseInstanceOf(CodecException.class);
                } else {
                    assertThat(push).isCompletedWithValue(true);
                }
            }
        }
    }

    @Test
    void anElementThatCannotBeDecodedFailsItsOwnPopAlone() {
        try (World world = open(0); World host = open(1); Completions completions = new Completions(ELEMENTS)) {
            CircularQueue<Element> queue = queueAt(host, world, 2 * ELEMENTS);
            for (long number = 0; number < ELEMENTS; number++) {
                queue.pushEncoded(bytes(number % 10 == 5 ? UNREADABLE + 1 + number : number));
            }
            AsyncCircularQueue<Element> async = queue.async(completions);
            List<CompletableFuture<Element>> pops = Stream.generate(() -> async.pop().toCompletableFuture())
                    .limit(ELEMENTS + 1)
                    .toList();
            completions.join();
            List<Long> numbers = new ArrayList<>();
            int nothing = 0;
            for (CompletableFuture<Element> pop : pops) {
                if (pop.isCompletedExceptionally()) {
                    CodecException unread = (CodecException) pop.exceptionNow();
                    assertThat(unread.encoded()).hasSize(1);
                    numbers.add(ByteBuffer.wrap(unread.encoded().getFirst()).order(ByteOrder.nativeOrder()).getLong()
                            - UNREADABLE - 1);
                } else if (pop.join() == null) {
                    nothing++;
                } else {
                    numbers.add(pop.join().number);
                }
            }
            assertThat(nothing).isEqualTo(1);
            assertThat(numbers).containsExactlyInAnyOrderElementsOf(
                    LongStream.range(0, ELEMENTS).boxed().toList());
        }
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(number).array();
    }

    @Test
    void pushesThatAreCombinedFillTheQueueAndNoneIsLostOrRepeated() {
        try (World world = open(0); World host = open(1); Completions completions = new Completions(ELEMENTS)) {
            CircularQueue<Element> queue = queueAt(host, world, ELEMENTS - 5);
            AsyncCircularQueue<Element> async = queue.async(completions);
            for (int round = 0; round < 3; round++) {
                List<CompletableFuture<Boolean>> pushes = LongStream.range(0, ELEMENTS)
                        .mapToObj(number -> async.push(new Element(number)).toCompletableFuture())
                        .toList();
                completions.join();
                List<Element> pushed = LongStream.range(0, ELEMENTS)
                        .filter(number -> pushes.get((int) number).join())
                        .mapToObj(Element::new)
                        .toList();
                assertThat(pushed).hasSize(ELEMENTS - 5);
                assertThat(queue.pop(ELEMENTS)).containsExactlyInAnyOrderElementsOf(pushed);
            }
        }
    }
}
