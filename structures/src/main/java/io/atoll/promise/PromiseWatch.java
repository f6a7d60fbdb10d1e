package io.atoll.promise;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.Replacement;
import io.atoll.world.StructureListener.Happening;
import java.lang.StackWalker.StackFrame;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds broken promises about the uses of a structure. Two uses between the same two barriers break a promise if one is
 * not what the other's caller has promised. They may be at any ranks. It is enough that the two might have met; they
 * need not have. The later one fails, before it has done anything, or both fail. If a use is promised to be
 * {@linkplain Use#isOfOneThread() one thread's}, the second thread of the process fails, too.
 *
 * <p>Each rank has a table in its segment, and only this rank writes it:
 * <pre>
 *       0             64                  64 + 256            64 + 8 * 256
 *       +-------------+-------------------+---------//--------+
 *       |    marks    |   call site of 0  |   call site of 7  |
 *       |  (8 words)  |   (256 bytes)     |                   |
 *       +-------------+-------------------+---------//--------+
 *
 *       marks         word i: 1 + the number of the barrier after which use i last came first, 0 if it never did
 *       call site     where that was, as text, filled up with zeros
 * </pre>
 * The first time that a use comes after a barrier, it writes the call site, then the mark. Then it looks at the marks
 * of all ranks, its own among them. That costs 2 W, and R for each other rank. All later ones cost nothing but a look
 * at what this process remembers.
 */
public class PromiseWatch {

    static final int MOST_USES = 8;

    private static final Logger LOG = LoggerFactory.getLogger(PromiseWatch.class);

    private static final long SITE_BYTES = 256;

    private static final StructLayout LAYOUT = MemoryLayout.structLayout(Layouts.words("marks", MOST_USES),
            Layouts.words("sites", MOST_USES * SITE_BYTES / Layouts.WORD));

    static final long MARKS = Layouts.offsetOf(LAYOUT, "marks");
    static final long SITES = Layouts.offsetOf(LAYOUT, "sites");
    static final long TABLE_BYTES = LAYOUT.byteSize();

    private final String structure;
    private final Set<String> entrances;
    private final List<? extends Use> uses;
    private final Endpoint endpoint;
    private final LongSupplier lastBarrier;
    private final long[] tables;
    private final Consumer<BrokenPromiseException> whenBroken;
    private final Marks own;

    /** The marks of this rank, as all threads of the process know them. */
    private static final class Marks {

        // marks that were found to break nothing
        private final AtomicLongArray harmless = new AtomicLongArray(MOST_USES);
        private final AtomicLongArray threads = new AtomicLongArray(MOST_USES); // threads that have set these marks
        // marks of broken promises of which the process was told
        private final AtomicLongArray told = new AtomicLongArray(MOST_USES);
    }

    /** @param tables the offset of the table in each rank's segment */
    PromiseWatch(String structure, List<Class<?>> entrances, List<? extends Use> uses, Endpoint endpoint,
            LongSupplier lastBarrier, long[] tables) {
        this(structure, entrances, uses, endpoint, lastBarrier, tables, _ -> {}, new Marks());
    }

    private PromiseWatch(String structure, List<Class<?>> entrances, List<? extends Use> uses, Endpoint endpoint,
            LongSupplier lastBarrier, long[] tables, Consumer<BrokenPromiseException> whenBroken, Marks own) {
        this.structure = structure;
        this.entrances = entrances.stream().map(Class::getName).collect(Collectors.toUnmodifiableSet());
        this.uses = uses;
        this.endpoint = endpoint;
        this.lastBarrier = lastBarrier;
        this.tables = tables;
        this.whenBroken = whenBroken;
        this.own = own;
    }

    /**
     * Attaches to the tables of the structure of this name, or creates them. They stand beside the structure in the
     * directory. A process remembers once for each structure which marks its threads have set, and takes marks back. If
     * a rank has lost its segment, its table is made anew: the promises of its former process ended with that.
     *
     * @param entrances the classes whose methods the users of the structure call
     * @param uses all constants of the enum
     */
    public static PromiseWatch open(Participant self, String structure, List<Class<?>> entrances, Use... uses) {
        String name = structure + " promises";
        String configuration = "promises uses=" + Arrays.toString(uses);
        long[] tables = self.directory()
                .open(name, configuration, _ -> TABLE_BYTES, OnLoss.FAIL, Replacement.zeroed(_ -> true));
        return new PromiseWatch(structure, entrances, List.of(uses), self.endpoint(), self::lastBarrier, tables,
                broken -> self.tell(Happening.PROMISE_BROKEN, structure, broken.rank(), broken::lines),
                self.shared(name, Marks::new));
    }

    /**
     * Checks a use. Called before each operation. If it fails, the process is told once for each use between two
     * barriers.
     *
     * @throws BrokenPromiseException if another use came after the same barrier, and one of them breaks what the
     * other's caller has promised
     */
    public void enter(Use use) {
        long mark = lastBarrier.getAsLong() + 1;
        try {
            enter(use, mark);
        } catch (BrokenPromiseException broken) {
            if (own.told.getAndSet(use.ordinal(), mark) != mark) {
                whenBroken.accept(broken);
            }
            throw broken;
        }
    }

    private void enter(Use use, long mark) {
        if (own.harmless.get(use.ordinal()) != mark) {
            announce(use, mark);
        }
        if (use.isOfOneThread() && own.threads.get(use.ordinal()) != Thread.currentThread().threadId()) {
            throw new BrokenPromiseException(structure, here(use), endpoint.rank(), text(endpoint.rank(), use));
        }
    }

    private void announce(Use use, long mark) {
        synchronized (own) {
            if (own.harmless.get(use.ordinal()) != mark) { // else another thread has done it meanwhile
                announceFirst(use, mark);
            }
        }
    }

    private void announceFirst(Use use, long mark) {
        String here = here(use);
        int rank = endpoint.rank();
        // (1) The call site comes before the mark, which says that it can be read.
        endpoint.write(rank, site(rank, use), words(here), 0, SITE_BYTES);
        flush(rank);
        endpoint.writeWord(rank, mark(rank, use), mark);
        // (2) The own mark comes before a look at the others'. If two ranks do both, at least one finds the other's
        // mark.
        flush(rank);
        try {
            for (int other = 0; other < endpoint.size(); other++) {
                refuseConflicts(use, mark, here, other);
            }
        } catch (BrokenPromiseException broken) {
            endpoint.writeWord(rank, mark(rank, use), 0);
            throw broken;
        }
        own.threads.set(use.ordinal(), Thread.currentThread().threadId());
        own.harmless.set(use.ordinal(), mark);
    }

    private String here(Use use) {
        return use.name() + " at " + callSite();
    }

    void flush(int rank) {
        endpoint.flush(rank);
    }

    private void refuseConflicts(Use use, long mark, String here, int rank) {
        long[] marks = new long[MOST_USES];
        try {
            endpoint.read(rank, tables[rank] + MARKS, MemorySegment.ofArray(marks), 0, MOST_USES * Layouts.WORD);
            for (Use other : uses) {
                if (marks[other.ordinal()] == mark && use.conflictsWith(other)) {
                    throw new BrokenPromiseException(structure, here, rank, text(rank, other));
                }
            }
        } catch (RankUnreachableException gone) {
            // A rank that cannot be reached does nothing. It has to pass a barrier with all others before it does.
            LOG.debug("not asked what it has promised: structure={} rank={}", structure, rank, gone);
        }
    }

    private String callSite() {
        return StackWalker.getInstance()
                .walk(frames -> frames.dropWhile(frame -> !isOfEntrance(frame))
                        .dropWhile(this::isOfEntrance)
                        .findFirst())
                .map(StackFrame::toString)
                .orElse("the beginning of a thread");
    }

    private boolean isOfEntrance(StackFrame frame) {
        return entrances.contains(frame.getClassName());
    }

    private long mark(int rank, Use use) {
        return tables[rank] + MARKS + use.ordinal() * Layouts.WORD;
    }

    private long site(int rank, Use use) {
        return tables[rank] + SITES + use.ordinal() * SITE_BYTES;
    }

    private static MemorySegment words(String text) {
        MemorySegment words = MemorySegment.ofArray(new long[(int) (SITE_BYTES / Layouts.WORD)]);
        byte[] bytes = text.getBytes(UTF_8);
        MemorySegment.copy(bytes, 0, words, ValueLayout.JAVA_BYTE, 0, (int) Math.min(bytes.length, SITE_BYTES));
        return words;
    }

    private String text(int rank, Use use) {
        MemorySegment words = words("");
        endpoint.read(rank, site(rank, use), words, 0, SITE_BYTES);
        byte[] bytes = words.toArray(ValueLayout.JAVA_BYTE);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, UTF_8);
    }
}
