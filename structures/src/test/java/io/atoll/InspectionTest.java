package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.FixedHash;
import io.atoll.fabric.trace.Journal;
import io.atoll.world.NamedStructure;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectionTest {

    private static final int SEGMENT_BYTES = 4 << 20;

    @TempDir
    Path folder;

    private World open(int rank) {
        return World.named("inspected")
                .keySeed(FixedHash.SEED)
                .size(2)
                .rank(rank)
                .segment(SEGMENT_BYTES)
                .fabric(Fabrics.sharedMemory(folder, false))
                .joinTimeout(Duration.ofSeconds(20))
                .open();
    }

    @Test
    void aRankThatIsNotThereIsAbsentAndWhatIsThereIsSeen() {
        try (World world = open(0)) {
            Inspection inspection = world.inspection();
            assertThat(inspection.heapUsage(1)).isEmpty();
            assertThat(inspection.structures(1)).isEmpty();
            assertThat(inspection.heapUsage(0)).hasValueSatisfying(
                    usage -> assertThat(usage.totalBytes()).isBetween(1L, (long) SEGMENT_BYTES));
            assertThat(inspection.structures(0)).hasValueSatisfying(structures -> assertThat(structures).isEmpty());
            assertThat(inspection.segmentBytes()).isEqualTo(SEGMENT_BYTES);
            assertThat(world.fabric()).isEqualTo("shared-memory");
        }
    }

    @Test
    void lookingAtAnotherRankOnlyReads() {
        try (World world = open(0); World other = open(1)) {
            other.longMap("hits").fixedCapacity(1000).open();
            // Waits until this rank, too, has found the other one.
            world.participant();
            Inspection inspection = world.inspection();
            assertThat(inspection.structures(1)).hasValueSatisfying(structures -> assertThat(structures)
                    .extracting(NamedStructure::name)
                    .containsExactly("hits"));
            Journal journal = world.explain(() -> {
                inspection.structures(1);
                inspection.heapUsage(1);
            });
            assertThat(journal.reads()).isPositive();
            assertThat(journal.writes()).isZero();
            assertThat(journal.atomics()).isZero();
        }
    }
}
