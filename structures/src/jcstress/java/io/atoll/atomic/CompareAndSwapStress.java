package io.atoll.atomic;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.atoll.memory.GlobalPointer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two threads compare and swap from the same value and its count. One of them must fail, and the change must count
 * once.
 */
public class CompareAndSwapStress {

    @JCStressTest
    @Outcome(id = {"1, 0, 1", "0, 1, 1"}, expect = ACCEPTABLE, desc = "one of them, and it counts once")
    @Outcome(expect = FORBIDDEN, desc = "both, or none, or counted otherwise")
    @State
    public static class Protected {

        private final StressedWord word = new StressedWord();
        private final AtomicObject<GlobalPointer> object = word.abaProtected();
        private final Aba<GlobalPointer> seen = object.readAba();

        @Actor
        public void one(III_Result swapped) {
            swapped.r1 = object.compareAndSwapAba(seen, word.first) ? 1 : 0;
        }

        @Actor
        public void other(III_Result swapped) {
            swapped.r2 = object.compareAndSwapAba(seen, word.second) ? 1 : 0;
        }

        @Arbiter
        public void count(III_Result swapped) {
            swapped.r3 = object.readAba().count();
        }
    }

    @JCStressTest
    @Outcome(id = {"1, 0, 1", "0, 1, 1"}, expect = ACCEPTABLE, desc = "one of them, and it counts once")
    @Outcome(expect = FORBIDDEN, desc = "both, or none, or counted otherwise")
    @State
    public static class LocalProtected {

        private final StressedWord word = new StressedWord();
        private final LocalAtomicObject<GlobalPointer> object = word.localAbaProtected();
        private final Aba<GlobalPointer> seen = object.readAba();

        @Actor
        public void one(III_Result swapped) {
            swapped.r1 = object.compareAndSwapAba(seen, word.first) ? 1 : 0;
        }

        @Actor
        public void other(III_Result swapped) {
            swapped.r2 = object.compareAndSwapAba(seen, word.second) ? 1 : 0;
        }

        @Arbiter
        public void count(III_Result swapped) {
            swapped.r3 = object.readAba().count();
        }
    }
}
