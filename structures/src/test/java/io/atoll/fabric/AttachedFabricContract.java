package io.atoll.fabric;

import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import org.junit.jupiter.api.AfterEach;

/** The promises of a fabric by which this process is several ranks; the one behind them is not there. */
public abstract class AttachedFabricContract extends FabricContract {

    /** By rank; a test fills them before each of its cases. */
    protected final Attachment[] attachments;

    private final WorldIdentity world;

    /** @param ranks that are there */
    protected AttachedFabricContract(WorldIdentity world, int ranks) {
        this.world = world;
        this.attachments = new Attachment[ranks];
    }

    @AfterEach
    protected final void detach() {
        for (Attachment attachment : attachments) {
            attachment.close();
        }
    }

    @Override
    public final Fabric fabric(int rank) {
        return attachments[rank].fabric();
    }

    @Override
    public final int absentRank() {
        return attachments.length;
    }

    @Override
    public final long freeOffset() {
        return SegmentHeader.size(world.maxSize());
    }

    @Override
    public final boolean readsWaitForWrites() {
        return false;
    }
}
