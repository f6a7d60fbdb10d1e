package io.atoll.fabric.trace;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.memory.WorldIdentity;
import java.util.OptionalInt;

/**
 * A fabric with slower verbs, to show on one host what a network does to an algorithm. Verbs to the own segment that go
 * through the fabric take as long as others, like a network card's loopback. Loads and stores of the owner's CPU are
 * never delayed.
 *
 * @param fabric executes the verbs
 * @param delay is added to each round trip
 */
record Delayed(FabricType fabric, Delay delay) implements FabricType {

    /** Returns a name that says that the delay is simulated. */
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
