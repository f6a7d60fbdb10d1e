package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An {@link Error} strikes at any access to memory of an operation. It loses no payload and no bag, with one exception:
 * an access whose answer is missing, so that no process knows what has become of it.
 */
@Tag("simulation")
class PayloadErrorsTest {

    private static final List<Kind> KINDS = List.of(Kind.values());
    private static final int USER = 1;
    private static final int OWNER = 0;

    static Stream<Arguments> uses() {
        return Stream.concat(SimOptions.EVERY_FABRIC.stream(), Stream.of(SimOptions.TCP))
                .flatMap(fabric -> Stream.of(false, true)
                        .filter(isAfter -> !isAfter || !fabric.coherentWithCpu())
                        .map(isAfter -> Arguments.of(fabric, isAfter)));
    }

    @ParameterizedTest
    @MethodSource("uses")
    void whatAnErrorLeavesIsFreed(Guarantees guarantees, boolean isAfter) {
        for (Kind kind : KINDS) {
            // Two processes may remove an entry at once. Without an answer, this one cannot know if it removed the
            // entry.
            int mostLost = isAfter && kind == Kind.REMOVE ? 1 : 0;
            var user = new User();
            MapWorld.strikeAtEachAccess(MapWorld.options(guarantees), USER, List.of(kind), MapWorld.KEYS, isAfter,
                    user::open, (self, _, what) -> user.checkNothingIsLeft(self, what, mostLost));
        }
    }

    /** A process that uses the map in the segment of another one. */
    private static final class User {

        private @Nullable EpochManager epochs;
        private @Nullable PayloadEntries<Long, Long> entries;

        MapClient open(Participant self) {
            EpochManager manager = MapWorld.epochs(self);
            BucketTable table = PayloadWorld.RIGHT.table(self, MapWorld.fixedBlocks(manager));
            var opened = PayloadWorld.RIGHT.entries(table, PayloadWorld.RIGHT.payloads(self, manager));
            epochs = manager;
            entries = opened;
            return MapClient.of(opened);
        }

        void checkNothingIsLeft(Participant self, String what, int mostLost) {
            Objects.requireNonNull(epochs).clear();
            long referredTo = Objects.requireNonNull(entries).count(OWNER);
            assertThat(self.heap().usage(OWNER).objects()).as("payloads: " + what)
                    .isBetween(referredTo, referredTo + mostLost);
            assertThat(self.heap().usage(USER).objects()).as("bags, one of which is empty: " + what)
                    .isLessThanOrEqualTo(1);
        }
    }
}
