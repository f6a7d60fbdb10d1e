package io.atoll.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.FabricType;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.memory.WorldIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two hosts that have one folder of segments, by a network file system. */
class OtherHostTest {

    private static final WorldIdentity WORLD = new WorldIdentity("other-host", 2);
    private static final long SEGMENT_BYTES = 64 << 10;

    private SharedMemory here;
    private FabricType there;

    @BeforeEach
    void share(@TempDir Path folder) {
        here = new SharedMemory(folder, true);
        there = new OtherHost(here);
    }

    private static Attachment attach(FabricType type, int rank) {
        return type.attach(WORLD, OptionalInt.of(rank), SEGMENT_BYTES);
    }

    @Test
    void aRankOfAnotherHostIsNeitherKnownNorMapped() {
        try (Attachment zero = attach(here, 0); Attachment one = attach(there, 1)) {
            assertThat(zero.presence(1).state()).isEqualTo(State.UNKNOWN);
            assertThat(one.presence(0).state()).isEqualTo(State.UNKNOWN);
            assertThatExceptionOfType(LayoutMismatchException.class)
                    .isThrownBy(() -> zero.connect(1, one.incarnation(), Map.of()))
                    .withMessageContaining("in the memory of another host, give each host a folder");
            assertThat(zero.fabric().mapped(1)).isNull();
            assertThat(one.presence(1).state()).as("its own").isEqualTo(State.PRESENT);
        }
    }

    @Test
    void aRankThatComesBackOnThisHostIsMapped() {
        try (Attachment zero = attach(here, 0)) {
            attach(there, 1).close();
            try (Attachment one = attach(here, 1)) {
                assertThat(zero.presence(1).state()).isEqualTo(State.PRESENT);
                assertThat(one.incarnation()).isEqualTo(2);
                zero.connect(1, 2, Map.of());
                assertThat(zero.fabric().mapped(1)).isNotNull();
            }
        }
    }

    /** It has ended with its kernel: no other host can have these files. */
    @Test
    void aRankThatRanHereBeforeTheHostWasStartedAgainHasEnded() throws Exception {
        assumeThat(new WorldFiles(here.folder(), WORLD.name()).areOfOneHost()).isTrue();
        attach(there, 1).close();
        try (Attachment zero = attach(here, 0)) {
            assertThat(zero.presence(1).state()).isEqualTo(State.GONE);
            assertThat(zero.presence(1).incarnation()).isEqualTo(1);
        }
    }

    /** The kernel is the same, and so is the file's name. Only its memory is not. */
    @Test
    void aCopyOfASegmentIsNotTheSegment(@TempDir Path copies) throws Exception {
        try (Attachment zero = attach(here, 0); Attachment one = attach(here, 1)) {
            assertThat(zero.presence(1).state()).isEqualTo(State.PRESENT);
            Path segment = here.folder().resolve("atoll-other-host-1.segment");
            Path copy = Files.copy(segment, copies.resolve("copy"));
            Files.delete(segment);
            Files.move(copy, segment);
            assertThat(zero.presence(1).state()).isEqualTo(State.UNKNOWN);
            assertThatExceptionOfType(LayoutMismatchException.class)
                    .isThrownBy(() -> zero.connect(1, one.incarnation(), Map.of()));
        }
    }

    @Test
    void aKernelThatTellsNoBootIdIsRefused(@TempDir Path folder) throws Exception {
        Path none = Files.writeString(folder.resolve("boot-id"), "none");
        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> SharedMemoryAttachment.open(here, WORLD, OptionalInt.of(0), SEGMENT_BYTES, none))
                .withMessageContaining("tells no boot id of a kernel")
                .withMessageContaining("file=" + none);
    }
}
