package io.atoll.chaos.check;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.List;

/**
 * A pinned thread saw its object whole as long as it was pinned. The object was not freed, and its memory was not
 * reused.
 */
final class PinnedObjects {

    private PinnedObjects() {}

    static List<Finding> check(Run run) {
        return run.of(Structure.EPOCHS, Entry::isDone)
                .stream()
                .filter(entry -> entry.verb() == Verb.READ && entry.result() != 0)
                .limit(3)
                .map(entry -> run.finding(
                        "EPOCHS freed an object under a pin: found=" + Long.toHexString(entry.result()),
                        List.of(entry)))
                .toList();
    }
}
