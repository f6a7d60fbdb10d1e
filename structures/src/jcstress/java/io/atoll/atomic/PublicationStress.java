package io.atoll.atomic;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.atoll.memory.GlobalPointer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A thread that finds an object by a word sees what was written into the object before the word referred to it. */
public class PublicationStress {

    @JCStressTest
    @Outcome(id = {"-1", "7"}, expect = ACCEPTABLE, desc = "no object yet, or all of it")
    @Outcome(expect = FORBIDDEN, desc = "an object that is not written yet")
    @State
    public static class Plain {

        private final StressedWord word = new StressedWord();
        private final AtomicObject<GlobalPointer> object = word.plain();

        @Actor
        public void publisher() {
            word.publish(object);
        }

        @Actor
        public void reader(I_Result heard) {
            heard.r1 = word.heard(object);
        }
    }

    @JCStressTest
    @Outcome(id = {"-1", "7"}, expect = ACCEPTABLE, desc = "no object yet, or all of it")
    @Outcome(expect = FORBIDDEN, desc = "an object that is not written yet")
    @State
    public static class Protected {

        private final StressedWord word = new StressedWord();
        private final AtomicObject<GlobalPointer> object = word.abaProtected();

        @Actor
        public void publisher() {
            word.publish(object);
        }

        @Actor
        public void reader(I_Result heard) {
            heard.r1 = word.heard(object);
        }
    }

    @JCStressTest
    @Outcome(id = {"-1", "7"}, expect = ACCEPTABLE, desc = "no object yet, or all of it")
    @Outcome(expect = FORBIDDEN, desc = "an object that is not written yet")
    @State
    public static class Local {

        private final StressedWord word = new StressedWord();
        private final LocalAtomicObject<GlobalPointer> object = word.local();

        @Actor
        public void publisher() {
            word.publish(object);
        }

        @Actor
        public void reader(I_Result heard) {
            heard.r1 = word.heard(object);
        }
    }

    @JCStressTest
    @Outcome(id = {"-1", "7"}, expect = ACCEPTABLE, desc = "no object yet, or all of it")
    @Outcome(expect = FORBIDDEN, desc = "an object that is not written yet")
    @State
    public static class LocalProtected {

        private final StressedWord word = new StressedWord();
        private final LocalAtomicObject<GlobalPointer> object = word.localAbaProtected();

        @Actor
        public void publisher() {
            word.publish(object);
        }

        @Actor
        public void reader(I_Result heard) {
            heard.r1 = word.heard(object);
        }
    }
}
