package io.atoll.app.isx;

import io.atoll.World;
import io.atoll.codec.KeyHash;
import java.util.Arrays;

/** Checks what a rank has sorted: the keys are in order and belong to the rank, and no key of any rank is lost. */
record Verification(Keys keys, int rank) {

    /**
     * Checks that no key is lost or invented, and that each rank's keys follow those of the rank before. All ranks call
     * it.
     */
    void verify(World world, long[] own, long[] sorted) throws InterruptedException {
        requireSorted(sorted);
        long[] sums = {own.length - sorted.length, checksum(own) - checksum(sorted)};
        world.allReduce(sums, Long::sum);
        if (sums[0] != 0 || sums[1] != 0) {
            throw new IllegalStateException("keys are missing, or others have been added: missing=" + sums[0]
                    + " checksum=" + sums[1]);
        }
    }

    void requireSorted(long[] sorted) {
        for (int at = 0; at < sorted.length; at++) {
            if (Keys.bucket(sorted[at], keys.ranks()) != rank || at > 0 && sorted[at - 1] > sorted[at]) {
                throw new IllegalStateException(
                        "the keys are not sorted: rank=" + rank + " index=" + at + " key=" + sorted[at]);
            }
        }
    }

    /** Returns a checksum that does not depend on the order of the keys. */
    static long checksum(long[] keys) {
        return Arrays.stream(keys).map(KeyHash::mixed).sum();
    }
}
