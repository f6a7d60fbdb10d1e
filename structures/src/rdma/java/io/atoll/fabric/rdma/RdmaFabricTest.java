package io.atoll.fabric.rdma;

import io.atoll.Fabrics;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.FabricContract;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The ranks are attached only once: connecting takes long on emulated devices. */
@NeedsRdmaDevice
class RdmaFabricTest extends FabricContract {

    private static final WorldIdentity WORLD = new WorldIdentity("verbs-contract", 3);
    private static final long SEGMENT_BYTES = 128 << 10;
    private static final Attachment[] ATTACHMENTS = new Attachment[2];

    @BeforeAll
    static void attach() {
        for (int rank = 0; rank < 2; rank++) {
            ATTACHMENTS[rank] = Fabrics.rdma().attach(WORLD, OptionalInt.of(rank), SEGMENT_BYTES);
        }
        ATTACHMENTS[0].connect(1, ATTACHMENTS[1].incarnation(), ATTACHMENTS[1].address());
        ATTACHMENTS[1].connect(0, ATTACHMENTS[0].incarnation(), ATTACHMENTS[0].address());
    }

    @AfterAll
    static void detach() {
        for (Attachment attachment : ATTACHMENTS) {
            attachment.close();
        }
    }

    @BeforeEach
    void clear() {
        makeZero();
    }

    @Override
    public Fabric fabric(int rank) {
        return ATTACHMENTS[rank].fabric();
    }

    @Override
    public int absentRank() {
        return 2;
    }

    @Override
    public long freeOffset() {
        return SegmentHeader.size(WORLD.maxSize());
    }

    @Override
    public int rounds() {
        return 50;
    }
}
