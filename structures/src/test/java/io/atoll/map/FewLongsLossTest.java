package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.world.Participant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Few longs that are put together while one of their owners cannot be reached. */
class FewLongsLossTest extends FewLossContract {

    FewLongsLossTest() {
        super(FewLongsLossTest::open);
    }

    private static Opened open(Participant self, EpochManager epochs) {
        LongLongMap map = LongLongMap.builder("longs", () -> self, epochs).capacity(1_000).open();
        return new Opened(MapClient.of(map), map::owner);
    }

    /** Longs are stored in the batch that looks for them, whether or not they are there. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whatAnOwnerHasStoredAnewIsNotStoredAgainWhenAnotherOneIsLost(int times) {
        putOnes(times);
        assertStoredOnce();
    }
}
