package io.atoll.fabric;

/**
 * Checks every promise of {@link Fabric}, {@link Batch}, {@link Guarantees} and {@link Endpoint}. The test of every
 * fabric extends this class. Rank 0 acts upon its own segment as well as upon the segment of rank 1.
 */
public abstract class FabricContract
        implements
            VerbContract,
            BatchContract,
            ArrivalContract,
            OrderContract,
            AtomicityContract,
            CpuContract,
            ShortCutContract,
            RefusalContract {}
