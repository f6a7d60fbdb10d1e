package io.atoll.epoch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.atoll.memory.LocalMemory;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A mistake that {@link LocalEpochManagerStress} must find: this test must fail. It would not find a pin without its
 * fence, since no processor holds a store back for as long as two epochs take. {@code LocalEpochSimulationTest} finds
 * that mistake.
 */
public class LocalEpochManagerMistakes {

    private static LocalEpochManager oneEpochEarlier(int tokens, LocalEpochManager.Reclaimer reclaimer,
            LocalMemory memory) {
        return new LocalEpochManager(tokens, reclaimer, memory) {
            @Override
            boolean isOld(long sealed, long now) {
                return sealed <= now - 1;
            }
        };
    }

    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "the object is alive as long as it is used")
    @Outcome(expect = FORBIDDEN, desc = "it was freed under its user")
    @State
    public static class FreedOneEpochEarlier {

        private final Replacement replacement = new Replacement(LocalEpochManagerMistakes::oneEpochEarlier);

        @Actor
        public void user(I_Result seen) {
            seen.r1 = replacement.use();
        }

        @Actor
        public void replacer() {
            replacement.replace();
        }
    }
}
