package io.atoll.atomic;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.atoll.memory.GlobalPointer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two threads exchange what a word refers to. Each thread gets what was there before, and the two get different things.
 * If an exchange were lost, both would get nothing.
 */
public class ExchangeStress {

    @JCStressTest
    @Outcome(id = {"0, 1", "2, 0"}, expect = ACCEPTABLE, desc = "one after the other")
    @Outcome(expect = FORBIDDEN, desc = "an exchange is lost")
    @State
    public static class Plain {

        private final StressedWord word = new StressedWord();
        private final AtomicObject<GlobalPointer> object = word.plain();

        @Actor
        public void one(II_Result got) {
            got.r1 = word.number(object.exchange(word.first));
        }

        @Actor
        public void other(II_Result got) {
            got.r2 = word.number(object.exchange(word.second));
        }
    }

    @JCStressTest
    @Outcome(id = {"0, 1", "2, 0"}, expect = ACCEPTABLE, desc = "one after the other")
    @Outcome(expect = FORBIDDEN, desc = "an exchange is lost")
    @State
    public static class Protected {

        private final StressedWord word = new StressedWord();
        private final AtomicObject<GlobalPointer> object = word.abaProtected();

        @Actor
        public void one(II_Result got) {
            got.r1 = word.number(object.exchange(word.first));
        }

        @Actor
        public void other(II_Result got) {
            got.r2 = word.number(object.exchange(word.second));
        }
    }

    @JCStressTest
    @Outcome(id = {"0, 1", "2, 0"}, expect = ACCEPTABLE, desc = "one after the other")
    @Outcome(expect = FORBIDDEN, desc = "an exchange is lost")
    @State
    public static class Local {

        private final StressedWord word = new StressedWord();
        private final LocalAtomicObject<GlobalPointer> object = word.local();

        @Actor
        public void one(II_Result got) {
            got.r1 = word.number(object.exchange(word.first));
        }

        @Actor
        public void other(II_Result got) {
            got.r2 = word.number(object.exchange(word.second));
        }
    }

    @JCStressTest
    @Outcome(id = {"0, 1", "2, 0"}, expect = ACCEPTABLE, desc = "one after the other")
    @Outcome(expect = FORBIDDEN, desc = "an exchange is lost")
    @State
    public static class LocalProtected {

        private final StressedWord word = new StressedWord();
        private final LocalAtomicObject<GlobalPointer> object = word.localAbaProtected();

        @Actor
        public void one(II_Result got) {
            got.r1 = word.number(object.exchange(word.first));
        }

        @Actor
        public void other(II_Result got) {
            got.r2 = word.number(object.exchange(word.second));
        }
    }
}
