package io.atoll.peers;

import io.atoll.World;
import io.atoll.memory.SegmentHeader;

/** Connections that nobody uses. */
final class Idle {

    /** Each of two ranks has so many to the other, so each process has twice as many. */
    static final int LANES = 63;

    private Idle() {}

    /** Uses so many lanes to a rank, once each: a thread that begins takes the next one. */
    static void connect(World world, int rank, int lanes) throws InterruptedException {
        long offset = SegmentHeader.size(world.maxSize());
        for (int lane = 0; lane < lanes; lane++) {
            Thread.ofPlatform().start(() -> world.participant().endpoint().fabric().readWord(rank, offset)).join();
        }
    }
}
