package io.atoll.epoch;

import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reclaiming on the side of a structure's operation. The operation does not depend on it, and may already have taken
 * effect. So a failure here must not look as if the operation had failed. A rank may be away that only the epoch needs,
 * or memory may be used up. Objects in limbo wait for the next attempt.
 */
final class OpportunisticReclaim {

    private static final Logger LOG = LoggerFactory.getLogger(OpportunisticReclaim.class);

    private OpportunisticReclaim() {}

    /** Returns how many objects were freed, 0 if that failed. */
    static long run(LongSupplier reclaiming) {
        try {
            return reclaiming.getAsLong();
        } catch (FabricException unreachable) {
            LOG.debug("cannot reclaim, will try again", unreachable);
        } catch (VirtualMachineError | LinkageError failure) {
            Aftermath.warn("what is in limbo waits for the next attempt to reclaim", failure);
        }
        return 0;
    }
}
