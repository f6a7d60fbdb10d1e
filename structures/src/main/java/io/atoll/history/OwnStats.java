package io.atoll.history;

import io.atoll.epoch.EpochStructure;
import io.atoll.fabric.Verb;
import io.atoll.fabric.trace.Locality;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.heap.HeapCount;
import io.atoll.lock.TableLayout;
import io.atoll.memory.LocalMemory;
import io.atoll.world.NamedStructure;
import io.atoll.world.Participant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A rank's figures of itself, during one life. No verb leaves the process, and it allocates only when a structure is
 * new. One thread at a time uses it.
 */
final class OwnStats {

    /** The words of the heap's administration that one look counts at most: some tens of microseconds. */
    private static final int HEAP_WORDS = 16 << 10;

    /** The locks that one look sums up at most. */
    private static final int LOCKS = 512;

    /** The costliest figures change slowly: one look in this number of looks reads them. */
    private static final int RARELY = 10;

    private static final String LOCK_TABLE = "lock-table";
    private static final Verb[] VERBS = Verb.values(); // once, since each call makes another array

    private final HeapCount heap;
    private final ProcessStats process;
    private final @Nullable VerbCounts verbs;
    private final PendingEvents pendingEvents;
    private @Nullable EpochStats epochs; // null until the directory lists them
    private final LockStats locks = new LockStats();
    private final long[] verbsByKind = new long[VERBS.length];
    private long looks;
    private long directory; // its changes at the last look
    private long stranded;

    OwnStats(Participant self, ProcessStats process, Optional<VerbCounts> verbs, PendingEvents pendingEvents) {
        this.heap = self.heap().ownCount();
        this.process = process;
        this.verbs = verbs.orElse(null);
        this.pendingEvents = pendingEvents;
        LocalMemory own = self.endpoint().fabric().local();
        heap.goOn(own, Integer.MAX_VALUE);
        // The whole sum, once in a life: a recovery before it is no news.
        lookAtDirectory(self, own);
        locks.goOn(own, Integer.MAX_VALUE);
        locks.newRecoveries();
    }

    /** Reads the figures, and notes what has happened since the last look. */
    void read(Participant self, int ranksJoined, long nowNanos, long[] values) {
        LocalMemory own = self.endpoint().fabric().local();
        if (looks % RARELY == 0) {
            lookRarely(self, own, values);
        }
        looks++;
        heap.goOn(own, HEAP_WORDS);
        values[Series.HEAP_USED_BYTES.ordinal()] = heap.usedBytes();
        values[Series.HEAP_OBJECT_BYTES.ordinal()] = heap.objectBytes();
        values[Series.HEAP_PENDING_BYTES.ordinal()] = heap.pendingBytes();
        values[Series.RETIRED_BYTES.ordinal()] = heap.retiredBytes();
        EpochStats known = epochs;
        if (known != null) {
            known.read(own, nowNanos, values);
            noteStranded(known.lost(own));
        }
        locks.goOn(own, LOCKS);
        locks.read(values);
        noteRecoveries(locks.newRecoveries());
        values[Series.WAITS.ordinal()] = self.waits().count();
        values[Series.LONGEST_WAIT_MILLIS.ordinal()] = TimeUnit.NANOSECONDS.toMillis(self.waits().longestNanos());
        values[Series.RANKS_JOINED.ordinal()] = ranksJoined;
        values[Series.REPAIRS.ordinal()] = self.reservations().repairs();
        countVerbs(values);
        values[Series.PROCESS_CPU_MILLIS.ordinal()] = process.cpuMillis();
        Runtime runtime = Runtime.getRuntime();
        values[Series.JAVA_HEAP_BYTES.ordinal()] = runtime.totalMemory() - runtime.freeMemory();
    }

    private void lookRarely(Participant self, LocalMemory own, long[] values) {
        values[Series.RESIDENT_BYTES.ordinal()] = process.residentBytes();
        lookAtDirectory(self, own);
    }

    private void lookAtDirectory(Participant self, LocalMemory own) {
        long changes = self.directory().changes(own);
        if (changes != directory) {
            find(self.directory().structures(self.rank()), self);
            directory = changes;
        }
    }

    private void countVerbs(long[] values) {
        VerbCounts counted = verbs;
        if (counted == null) {
            return;
        }
        counted.verbs(Locality.REMOTE, verbsByKind);
        values[Series.REMOTE_READS.ordinal()] = verbs(Verb.Kind.READ);
        values[Series.REMOTE_WRITES.ordinal()] = verbs(Verb.Kind.WRITE);
        values[Series.REMOTE_ATOMICS.ordinal()] = verbs(Verb.Kind.ATOMIC);
    }

    private long verbs(Verb.Kind kind) {
        long sum = 0;
        for (Verb verb : VERBS) {
            sum += verb.kind() == kind ? verbsByKind[verb.ordinal()] : 0;
        }
        return sum;
    }

    private void noteStranded(long lost) {
        if (lost > stranded) {
            pendingEvents.add(Event.Kind.STRANDED, Event.NO_RANK, lost - stranded + " objects that nobody frees");
        }
        stranded = lost;
    }

    private void noteRecoveries(long recovered) {
        if (recovered > 0) {
            pendingEvents.add(Event.Kind.LOCK_RECOVERED, Event.NO_RANK,
                    recovered + " acquired after a holder had died");
        }
    }

    /** Finds the structures that exist by now. */
    private void find(List<NamedStructure> structures, Participant self) {
        if (epochs == null) {
            epochs = structures.stream()
                    .filter(each -> each.name().equals(EpochStructure.NAME) && each.offset() > 0)
                    .findFirst()
                    .flatMap(each -> EpochStructure.tokens(each)
                            .stream()
                            .boxed()
                            .findFirst()
                            .map(
                                    tokens -> new EpochStats(each.offset(), Math.toIntExact(tokens))))
                    .orElse(null);
            stranded = epochs == null ? 0 : epochs.lost(self.endpoint().fabric().local());
        }
        locks.look(structures.stream()
                .filter(each -> each.kind().equals(LOCK_TABLE) && each.offset() > 0 && layout(each, self).counted())
                .map(each -> new LockStats.Counts(each.offset() + layout(each, self).counts(),
                        layout(each, self).locks()))
                .toList());
    }

    private static TableLayout layout(NamedStructure table, Participant self) {
        return TableLayout.of(self.size(), self.maxSize(), table.configuration());
    }
}
