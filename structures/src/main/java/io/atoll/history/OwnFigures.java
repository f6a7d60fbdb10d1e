package io.atoll.history;

import io.atoll.epoch.words.EpochStructure;
import io.atoll.fabric.Verb;
import io.atoll.fabric.metering.Locality;
import io.atoll.fabric.metering.VerbCounts;
import io.atoll.heap.HeapCount;
import io.atoll.lock.words.TableLayout;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import io.atoll.world.directory.NamedStructure;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a rank sees of itself, for one life of it. No verb leaves the process, and nothing is allocated but when a
 * structure is new. By one thread at a time.
 */
final class OwnFigures {

    /** Words of the heap's administration that one look counts at most: some tens of microseconds. */
    private static final int HEAP_WORDS = 16 << 10;

    /** Locks that one look sums up at most. */
    private static final int LOCKS = 512;

    /** What costs most, and changes slowly, is looked at in one of so many looks. */
    private static final int RARELY = 10;

    private static final String LOCK_TABLE = "lock-table";

    private final HeapCount heap;
    private final ProcessFigures process;
    private final @Nullable VerbCounts verbs;
    private final Notes notes;
    private @Nullable EpochFigures epochs; // null until the directory lists them
    private LockFigures locks = new LockFigures(new long[0], new long[0]);
    private final long[] verbsByKind = new long[Verb.values().length];
    private long looks;
    private long directory; // how it was when it was looked at
    private long recoveries;
    private long stranded;

    OwnFigures(Participant self, ProcessFigures process, Optional<VerbCounts> verbs, Notes notes) {
        this.heap = self.heap().ownCount();
        this.process = process;
        this.verbs = verbs.orElse(null);
        this.notes = notes;
        heap.goOn(self.endpoint().fabric().local(), Integer.MAX_VALUE);
    }

    /** Looks, and notes what has happened since the last look. */
    void read(Participant self, int ranksJoined, long nowMillis, long[] values) {
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
        EpochFigures known = epochs;
        if (known != null) {
            known.read(own, nowMillis, values);
            noteStranded(known.lost(own));
        }
        locks.goOn(own, LOCKS);
        locks.read(values);
        noteRecoveries(locks.recoveries());
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
        long changes = self.directory().changes(own);
        if (changes != directory) {
            directory = changes;
            find(self.directory().structures(self.rank()), self);
        }
    }

    private void countVerbs(long[] values) {
        VerbCounts counted = verbs;
        if (counted == null) {
            return;
        }
        counted.verbs(Locality.REMOTE, verbsByKind);
        values[Series.REMOTE_READS.ordinal()] = verbsByKind[Verb.READ.ordinal()];
        values[Series.REMOTE_WRITES.ordinal()] = verbsByKind[Verb.WRITE.ordinal()];
        values[Series.REMOTE_ATOMICS.ordinal()] = verbsByKind[Verb.COMPARE_AND_EXCHANGE.ordinal()]
                + verbsByKind[Verb.GET_AND_SET.ordinal()] + verbsByKind[Verb.GET_AND_ADD.ordinal()]
                + verbsByKind[Verb.GET_AND_BITWISE_OR.ordinal()];
    }

    private void noteStranded(long lost) {
        if (lost > stranded) {
            notes.add(Event.Kind.STRANDED, Event.NO_RANK, lost - stranded + " objects that nobody frees");
        }
        stranded = lost;
    }

    private void noteRecoveries(long all) {
        if (all > recoveries) {
            notes.add(Event.Kind.LOCK_RECOVERED, Event.NO_RANK, all - recoveries + " acquired after a holder had died");
        }
        recoveries = all;
    }

    /** What is there by now. */
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
                                    tokens -> new EpochFigures(each.offset(), Math.toIntExact(tokens))))
                    .orElse(null);
            stranded = epochs == null ? 0 : epochs.lost(self.endpoint().fabric().local());
        }
        List<NamedStructure> tables = structures.stream()
                .filter(each -> each.kind().equals(LOCK_TABLE) && each.offset() > 0 && layout(each, self).counted())
                .toList();
        locks = new LockFigures(
                tables.stream().mapToLong(each -> each.offset() + layout(each, self).counts()).toArray(),
                tables.stream().mapToLong(each -> layout(each, self).locks()).toArray());
        locks.goOn(self.endpoint().fabric().local(), Integer.MAX_VALUE);
        recoveries = Math.max(recoveries, locks.recoveries());
    }

    private static TableLayout layout(NamedStructure table, Participant self) {
        return TableLayout.of(self.size(), self.maxSize(), table.configuration());
    }
}
