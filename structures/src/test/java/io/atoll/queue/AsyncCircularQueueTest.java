package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.completion.Completions;
import io.atoll.fabric.trace.Delay;
import io.atoll.failure.CodecException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Asynchronous pushes and pops that are carried out together. */
@Timeout(60)
class AsyncCircularQueueTest {

    private static final int ELEMENTS = 40;

    @TempDir
    private Path folder;

    record Element(long number) {

        @Override
        public long number() {
            if (number < 0) {
                throw new IllegalStateException("simulated: not to be stored");
            }
            return number;
        }
    }

    @Test
    void anElementThatCannotBeEncodedFailsItsOwnPushAlone() {
        try (World world = World.named("async-queue")
                .size(1)
                .rank(0)
                .segment(4 << 20)
                .fabric(Fabrics.delayed(Fabrics.sharedMemory(folder, false), Delay.of(Duration.ofMillis(1))))
                .open();
                Completions completions = new Completions(ELEMENTS)) {
            CircularQueue<Element> queue = world.queue("queue", Element.class).capacity(2 * ELEMENTS).open();
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
}
