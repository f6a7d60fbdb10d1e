package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.AllocatedBytes;
import io.atoll.Fabrics;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the cost of verbs: work requests on the wire, and objects on the heap. */
@NeedsRdmaDevice
class RdmaCostTest {

    private static final WorldIdentity WORLD = new WorldIdentity("verbs-cost", 2);
    private static final long WORD = SegmentHeader.size(WORLD.maxSize());
    private static final int TIMES = 500;

    private final Attachment[] attachments = new Attachment[2];
    private RdmaFabric fabric;

    @BeforeEach
    void attach() {
        for (int rank = 0; rank < 2; rank++) {
            attachments[rank] = Fabrics.rdma().attach(WORLD, OptionalInt.of(rank), 64 << 10);
        }
        for (int rank = 0; rank < 2; rank++) { // an owner lets in only ranks that it has met itself
            Attachment other = attachments[1 - rank];
            attachments[rank].connect(1 - rank, other.incarnation(), other.address());
        }
        fabric = (RdmaFabric) attachments[0].fabric();
    }

    @AfterEach
    void detach() {
        for (Attachment attachment : attachments) {
            attachment.close();
        }
    }

    private long workRequests(Consumer<Fabric> verbs) {
        fabric.readWord(1, WORD); // makes the connection
        long before = fabric.workRequests(1);
        verbs.accept(fabric);
        return fabric.workRequests(1) - before;
    }

    @Test
    void aVerbIsOneWorkRequest() {
        assertThat(workRequests(verbs -> verbs.readWord(1, WORD))).isEqualTo(1);
        assertThat(workRequests(verbs -> verbs.writeWord(1, WORD, 1))).isEqualTo(1);
        assertThat(workRequests(verbs -> verbs.compareAndExchange(1, WORD, 1, 2))).isEqualTo(1);
        assertThat(workRequests(verbs -> verbs.getAndAdd(1, WORD, 1))).isEqualTo(1);
    }

    @Test
    void aBatchIsAsManyWorkRequestsAsItHasVerbs() {
        assertThat(workRequests(verbs -> {
            Batch batch = verbs.batch();
            batch.compareAndExchange(1, WORD, 0, 1);
            batch.writeWord(1, WORD + 8, 2);
            batch.read(1, WORD, 0, 64);
            batch.complete();
        })).isEqualTo(3);
    }

    /**
     * The doorbell of Soft-RoCE is a system call that writes, so the count of these calls is the count of its rings.
     * The doorbell of hardware is not a system call.
     */
    @Test
    void aBatchRingsTheDoorbellOnce() throws IOException {
        fabric.readWord(1, WORD);
        long before = writingSystemCalls();
        fabric.getAndAdd(1, WORD, 1);
        long ofAVerb = writingSystemCalls() - before;

        Batch batch = fabric.batch();
        batch.compareAndExchange(1, WORD, 1, 2);
        batch.writeWord(1, WORD + 8, 2);
        batch.writeWord(1, WORD + 16, 3);
        batch.read(1, WORD, 0, 64);
        batch.complete();

        assertThat(writingSystemCalls() - before).isEqualTo(2 * ofAVerb);
    }

    /** Returns the writing system calls of the calling thread. */
    private static long writingSystemCalls() throws IOException {
        return Files.readAllLines(Path.of("/proc/thread-self/io"))
                .stream()
                .filter(line -> line.startsWith("syscw: "))
                .mapToLong(line -> Long.parseLong(line.substring("syscw: ".length())))
                .sum();
    }

    @Test
    void aFlushIsOneWorkRequestWhereWritesAreUnderWayAndNoneElsewhere() {
        assertThat(workRequests(verbs -> {
            verbs.writeWord(1, WORD, 1);
            verbs.writeWord(1, WORD, 2);
            verbs.flush(1);
        })).isEqualTo(3);
        assertThat(workRequests(verbs -> verbs.flush(1))).isZero();
    }

    @Test
    void warmedUpVerbsAllocateNothing() {
        assertThat(AllocatedBytes.of(() -> {
            for (int time = 0; time < TIMES; time++) {
                useEveryVerb();
            }
        })).isZero();
    }

    private void useEveryVerb() {
        fabric.writeWord(1, WORD, 1);
        fabric.readWord(1, WORD);
        fabric.compareAndExchange(1, WORD, 1, 2);
        fabric.getAndAdd(1, WORD, 1);
        Batch batch = fabric.batch();
        batch.setWord(0, 5);
        batch.write(1, WORD + 64, 0, 64);
        batch.read(1, WORD + 64, 64, 64);
        batch.complete();
        fabric.flush(1);
    }

    @Test
    void manyWritesAreBoundedByTheQueueAndArriveInTheirOrder() {
        for (int i = 1; i <= 2_000; i++) {
            fabric.writeWord(1, WORD, i);
        }

        assertThat(fabric.readWord(1, WORD)).isEqualTo(2_000);
    }
}
