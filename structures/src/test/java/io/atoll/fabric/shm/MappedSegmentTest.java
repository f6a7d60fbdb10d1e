package io.atoll.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.MappedSegment;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever keeps one must not go on with memory that the endpoint would not use any more. */
class MappedSegmentTest {

    private static final WorldIdentity WORLD = new WorldIdentity("mapped", 3);
    private static final long WORD = SegmentHeader.size(WORLD.maxSize());

    private Attachment own;
    private Attachment other;
    private Endpoint endpoint;

    @BeforeEach
    void attach(@TempDir Path folder) {
        var memory = new SharedMemory(folder, false);
        own = memory.attach(WORLD, OptionalInt.of(0), 128 << 10);
        other = memory.attach(WORLD, OptionalInt.of(1), 128 << 10);
        own.connect(1, 1, Map.of());
        endpoint = new Endpoint(own.fabric());
    }

    @AfterEach
    void detach() {
        own.close();
        other.close();
    }

    private void assertIsAsMapped(MappedSegment segment, int rank) {
        assertThat(segment.memory()).isSameAs(endpoint.mapped(rank));
        assertThat(address(endpoint.mappedUniformly(rank))).isEqualTo(address(segment.memory()));
    }

    private static long address(@Nullable LocalMemory memory) {
        return memory == null ? 0 : memory.view(0, Long.BYTES).address();
    }

    @Test
    void itIsTheSameAsWhatIsMapped() {
        for (int rank = 0; rank < 2; rank++) {
            MappedSegment segment = endpoint.mappedSegment(rank);
            assertThat(segment.memory()).isNotNull();
            assertIsAsMapped(segment, rank);
            assertThat(endpoint.mappedSegment(rank)).isSameAs(segment);
        }
        assertThat(endpoint.mappedSegment(2).memory()).isNull();
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> endpoint.mappedSegment(3));
    }

    @Test
    void aRankThatIsLostIsNotMappedUntilItIsBack() {
        MappedSegment segment = endpoint.mappedSegment(1);
        var object = AtomicObject.abaProtected(endpoint, 1, WORD, ObjectType.POINTER);
        own.fence(1);
        assertThat(segment.memory()).isNull();
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> object.write(null));
        own.connect(1, 1, Map.of());
        assertThat(segment.memory()).isNotNull();
        object.write(null);
        assertThat(object.readAba().count()).isOne();
    }

    @Test
    void aRankThatJoinsLaterIsMappedFromThenOn(@TempDir Path folder) {
        var memory = new SharedMemory(folder, false);
        try (Attachment first = memory.attach(WORLD, OptionalInt.of(0), 128 << 10)) {
            MappedSegment segment = new Endpoint(first.fabric()).mappedSegment(2);
            try (Attachment third = memory.attach(WORLD, OptionalInt.of(2), 128 << 10)) {
                first.connect(2, third.incarnation(), Map.of());
                assertThat(segment.memory()).isNotNull();
            }
        }
    }

    @Test
    void whileSomeoneRecordsVerbsNoOtherRankIsMapped() {
        var object = AtomicObject.plain(endpoint, 1, WORD, ObjectType.POINTER);
        Fabric fabric = endpoint.fabric();
        RecordingFabric recording = new RecordingFabric(fabric);
        endpoint.replaceFabric(_ -> recording);
        assertThat(recording.record(object::read).reads()).isOne();
        assertThat(endpoint.mappedUniformly(1)).isNull();
        assertThat(endpoint.mappedUniformly(0)).isSameAs(endpoint.mapped(0)).isNotNull();
        endpoint.replaceFabric(_ -> fabric);
        assertThat(recording.record(object::read)).hasToString("no verb");
        assertIsAsMapped(endpoint.mappedSegment(1), 1);
    }

    @Test
    void whoHasLeftUsesNoMemory() {
        var object = AtomicObject.plain(endpoint, 0, WORD, ObjectType.POINTER);
        endpoint.detach();
        assertIsAsMapped(endpoint.mappedSegment(0), 0);
        own.close();
        assertThat(endpoint.mappedSegment(0).memory()).isNull();
        assertThat(endpoint.mappedSegment(1).memory()).isNull();
        assertThatIllegalStateException().isThrownBy(object::read).withMessageContaining("has left its world");
    }
}
