package io.atoll.chaos.workload;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keys of which each is a register. */
abstract class RegisterWorkload extends Workload {

    private static final int LARGEST_DELTA = 9;
    private static final int REMEMBERED = 200;

    private final List<Verb> verbs;
    private final boolean removes;
    // Values that keys had, so that exchanges succeed at times.
    private final Map<Long, Long> seen = new LinkedHashMap<>();

    /** @param verbs each as often as it should be used */
    RegisterWorkload(Scene scene, Structure structure, int thread, List<Verb> verbs) {
        super(scene, structure, thread);
        this.verbs = verbs;
        this.removes = structure == Structure.FIXED_MAP || structure == Structure.TEXT_MAP;
    }

    /** Does the operation. {@link Verb} describes the arguments and results. */
    abstract long apply(Verb verb, long key, long argument, long second) throws Exception;

    @Override
    protected void step() throws Exception {
        long key = scene.late(name()).orElseGet(this::key);
        use(verbs.get(random.nextInt(verbs.size())), key);
    }

    @Override
    protected Lateness.Subject subject(long key) {
        return new Lateness.Subject(name(), key);
    }

    final void use(Verb verb, long key) throws Exception {
        boolean compares = verb == Verb.COMPARE_AND_SET || verb == Verb.COMPARE_AND_EXCHANGE;
        boolean adds = verb == Verb.INCREMENT || verb == Verb.GET_AND_ADD;
        boolean reads = verb == Verb.FIND || verb == Verb.REMOVE;
        long argument = compares
                ? seen.getOrDefault(key, 0L)
                : adds ? 1 + random.nextInt(LARGEST_DELTA) : reads ? 0 : value();
        long second = verb == Verb.COMPARE_AND_SET && removes && random.nextInt(4) == 0
                ? Entry.ABSENT
                : compares ? value() : 0;
        long result = record(verb, key, argument, second, () -> apply(verb, key, argument, second));
        switch (verb) {
            case FIND, INCREMENT -> remember(key, result);
            case PUT, GET_AND_PUT -> remember(key, argument);
            default -> seen.remove(key);
        }
    }

    private void remember(long key, long value) {
        if (value != Entry.ABSENT) {
            seen.put(key, value);
            if (seen.size() > REMEMBERED) {
                seen.remove(seen.keySet().iterator().next());
            }
        }
    }
}
