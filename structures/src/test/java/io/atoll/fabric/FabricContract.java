package io.atoll.fabric;

/**
 * Every promise of {@link Fabric}, {@link Batch}, {@link Guarantees} and {@link Endpoint}, for the test of every fabric to extend. Rank 0 acts
 * upon its own segment as well as upon rank 1's.
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
