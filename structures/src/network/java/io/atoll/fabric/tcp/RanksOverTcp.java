package io.atoll.fabric.tcp;

import io.atoll.fabric.ConcurrentRanks;
import io.atoll.fabric.Fabric;

/** The ranks of a contract are {@link TcpRanks}: 0 and 1 reach each other by TCP, and 2 is not there. */
interface RanksOverTcp extends ConcurrentRanks {

    TcpRanks ranks();

    @Override
    default Fabric fabric(int rank) {
        return ranks().fabric(rank);
    }

    @Override
    default int absentRank() {
        return 2;
    }

    @Override
    default long freeOffset() {
        return TcpRanks.FREE;
    }
}
