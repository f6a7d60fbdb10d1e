package io.atoll.queue;

import io.atoll.codec.Codec;
import io.atoll.fabric.Batch;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A queue of tickets as its users see it: with elements. */
record RingQueue(RingChainQueue tickets, Codec<Long> codec) {

    boolean push(Long element) {
        return push(List.of(element));
    }

    boolean push(List<Long> elements) {
        Batch batch = tickets.batch();
        for (int index = 0; index < elements.size(); index++) {
            codec.encode(elements.get(index), batch.buffer(), tickets.toPush(index));
        }
        return tickets.push(batch, elements.size(), false);
    }

    @Nullable Long pop() {
        List<Long> popped = pop(1);
        return popped.isEmpty() ? null : popped.getFirst();
    }

    List<Long> pop(int most) {
        Batch batch = tickets.batch();
        int count = tickets.pop(batch, most, false);
        return IntStream.range(0, count)
                .mapToObj(index -> codec.decode(batch.buffer(), tickets.popped(most, index)))
                .toList();
    }
}
