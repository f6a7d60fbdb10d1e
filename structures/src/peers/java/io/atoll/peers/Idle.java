package io.atoll.peers;

import io.atoll.World;

/** Opens connections that no thread uses any more. */
final class Idle {

    /** The connections of each of two ranks to the other. Each process has twice as many. */
    static final int LANES = 63;

    private Idle() {}

    /** Uses this number of lanes to a rank once each: every new thread takes the next lane. */
    static void connect(World world, int rank, int lanes) throws InterruptedException {
        long offset = Worlds.FREE;
        for (int lane = 0; lane < lanes; lane++) {
            Thread.ofPlatform().start(() -> world.participant().endpoint().fabric().readWord(rank, offset)).join();
        }
    }
}
