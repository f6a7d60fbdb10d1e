package io.atoll.epoch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A thread pins, then finds an object. Only the full fence between the two keeps the object from being freed. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "the object is alive as long as it is used")
@Outcome(expect = FORBIDDEN, desc = "it was freed under its user")
@State
public class LocalEpochManagerStress {

    private final Replacement replacement = new Replacement(LocalEpochManager::new);

    @Actor
    public void user(I_Result seen) {
        seen.r1 = replacement.use();
    }

    @Actor
    public void replacer() {
        replacement.replace();
    }
}
