package io.atoll.queue.ring;

import io.atoll.codec.Codec;
import io.atoll.fabric.Batch;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A ring as its users see it: with elements. */
record RingQueue(TicketRing ring, Codec<Long> codec) {

    boolean push(Long element) {
        return push(List.of(element));
    }

    boolean push(List<Long> elements) {
        Batch batch = ring.batch();
        for (int index = 0; index < elements.size(); index++) {
            codec.encode(elements.get(index), batch.buffer(), ring.toPush(index));
        }
        return ring.push(batch, elements.size(), false);
    }

    @Nullable Long pop() {
        List<Long> popped = pop(1);
        return popped.isEmpty() ? null : popped.getFirst();
    }

    List<Long> pop(int most) {
        Batch batch = ring.batch();
        int count = ring.popReady(batch, most, false);
        return IntStream.range(0, count)
                .mapToObj(index -> codec.decode(batch.buffer(), ring.popped(index)))
                .toList();
    }
}
