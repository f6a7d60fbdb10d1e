package io.atoll.fabric.trace;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.memory.WorldIdentity;
import java.util.OptionalInt;

/**
 * A fabric whose verbs take longer than they would, to show on one host what a network does to an algorithm. Verbs to the own segment that go through the fabric take
 * as long as all others, as by a network card's loopback; loads and stores of the owner's CPU are never delayed.
 *
 * @param fabric what executes the verbs
 * @param delay what is added to each round trip
 */
public record Delayed(FabricType fabric, Delay delay) implements FabricType {

    /** Says that it is simulated, wherever the fabric is named. */
    @Override
    public String name() {
        return fabric.name() + " (delay " + delay + ")";
    }

    @Override
    public boolean isReachedFromThisHostOnly() {
        return fabric.isReachedFromThisHostOnly();
    }

    @Override
    public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
        return new DelayedAttachment(fabric.attach(world, rank, segmentBytes), delay);
    }
}
