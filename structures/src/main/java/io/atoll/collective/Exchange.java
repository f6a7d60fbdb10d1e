package io.atoll.collective;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.dynatrace.hash4j.hashing.Hashing;
import io.atoll.collective.CollectiveLog.Late;
import io.atoll.collective.CollectiveLog.Run;
import io.atoll.fabric.Batch;
import io.atoll.failure.FabricException;
import io.atoll.failure.StructureName;
import io.atoll.memory.Layouts;
import io.atoll.world.Barrier;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.Replacement;
import io.atoll.world.StructureBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Operations that all members of a team do together: each member calls the same methods in the same order, with the
 * same amount of data. They are built on barriers by dissemination. A member lays down what it has in its own segment.
 * Then all meet, and a member that needs the data reads it there. Data of more than a staging buffer's bytes goes in
 * pieces, one after the other.
 *
 * <p>Results are the same at all members to the last bit: either algorithm combines values in the order of positions.
 *
 * <p><b>Cost</b>, where data fits in a staging buffer, R, W and A being a remote read, write and atomic: ceil(log2
 * members) W for the barrier, and what each method says. Nothing goes to ranks that are no members. Threads of one
 * process take turns.
 *
 * <p><b>Progress.</b> Each call waits for the others' calls, and can be interrupted. A member that is lost, or comes
 * back, ends what is under way. The calls at every member fail with a {@link io.atoll.failure.RankUnreachableException}
 * that names the lost one. Some members may already have the result. Arrays that were handed over are as they were
 * then. The next call is one of all members again. The same happens if a member gives up in the middle. It does so if
 * it is interrupted, if its operator throws, or if a connection stays broken for longer than the operation timeout.
 * Connections that are broken for less time delay an exchange and nothing else.
 */
public final class Exchange {

    private static final Path HOST = Path.of("/proc/sys/kernel/random/boot_id");

    /** This process's part, once it is opened. */
    record Part(Team team, int own, Barrier barrier, StagingBuffers stagingBuffers, Reducing.Way way) {

        static Part of(Participant self, Team team, long[] blocks, StagingBuffers stagingBuffers, Reducing.Way way) {
            return new Part(team, team.position(self.rank()), barrier(self, team, blocks), stagingBuffers, way);
        }

        static Barrier barrier(Participant self, Team team, long[] blocks) {
            int[] ranks = IntStream.range(0, team.size()).map(team::rank).toArray();
            return Barrier.of(self, ranks, blocks);
        }
    }

    private final String name;
    private final CollectiveLog log;
    private static final String KIND = "exchange";

    private final Handle<Part> handle;

    Exchange(String name, CollectiveLog log, Handle<Part> handle) {
        this.name = name;
        this.log = log;
        this.handle = handle;
    }

    public String name() {
        return name;
    }

    public Team team() {
        return handle.opened().team();
    }

    /** Waits for all members. What any of them has written before, anywhere, is visible to all afterwards. */
    public void barrier() throws InterruptedException {
        together("barrier", handle.use(), 0, Barrier.Steps::pass);
    }

    private void together(String operation, Part part, long bytes, Barrier.Together acting)
            throws InterruptedException {
        try (Run run = log.begin(name, operation, part.team().size(), bytes, () -> late(part))) {
            part.barrier().together(acting);
            run.finish();
        } catch (FabricException failure) {
            throw failure.in(new StructureName(name, KIND));
        }
    }

    private static List<Late> late(Part part) {
        return part.barrier().awaited().stream().map(each -> new Late(each.rank(), each.since())).toList();
    }

    // --- moving ---

    /**
     * Brings to all members what each has. Cost: R for each other member, in one batch for each {@value
     * Batch#THREAD_BUFFER_BYTES} bytes.
     *
     * @param own whole words, as many at each member
     * @param all receives them, by position
     */
    public void allGather(MemorySegment own, MemorySegment all) throws InterruptedException {
        Part part = handle.use();
        checkAll(own, all, part.team());
        gather("allGather", part, own, all, true);
    }

    /**
     * Brings to one member what each has. Cost, at the root alone: that of {@link #allGather}.
     *
     * @param root its rank
     * @param all receives them, by position, at the root; elsewhere it is not used
     */
    public void gather(int root, MemorySegment own, MemorySegment all) throws InterruptedException {
        Part part = handle.use();
        boolean isRoot = part.team().position(root) == part.own();
        if (isRoot) {
            checkAll(own, all, part.team());
        }
        gather("gather", part, own, all, isRoot);
    }

    private void gather(String operation, Part part, MemorySegment own, MemorySegment all, boolean receives)
            throws InterruptedException {
        long each = checkWords(own);
        together(operation, part, each, steps -> {
            for (long from = 0; from < each; from += part.stagingBuffers().roomBytes()) {
                long start = from;
                long bytes = Math.min(part.stagingBuffers().roomBytes(), each - from);
                int room = steps.room();
                part.stagingBuffers().layDown(room, 0, own, from, bytes);
                steps.pass();
                if (receives) {
                    steps.persist(() -> part.stagingBuffers()
                            .collect(room, StagingBuffers.Part.same(0, bytes, position -> position * each + start),
                                    all));
                }
            }
        });
        if (receives) {
            MemorySegment.copy(own, 0, all, part.own() * each, each);
        }
    }

    /**
     * Brings to each member its part of what one has. Cost, at the root alone: W for each other member.
     *
     * @param root its rank
     * @param all what each member is to have, by position, at the root; elsewhere it is not used
     * @param own receives it
     */
    public void scatter(int root, MemorySegment all, MemorySegment own) throws InterruptedException {
        Part part = handle.use();
        long each = checkWords(own);
        boolean isRoot = part.team().position(root) == part.own();
        if (isRoot) {
            checkAll(own, all, part.team());
            MemorySegment.copy(all, part.own() * each, own, 0, each);
        }
        together("scatter", part, each, steps -> {
            for (long from = 0; from < each; from += part.stagingBuffers().roomBytes()) {
                long bytes = Math.min(part.stagingBuffers().roomBytes(), each - from);
                int room = steps.room();
                if (isRoot) {
                    give(part, steps, room, all, each, from, bytes);
                }
                steps.pass();
                if (!isRoot) {
                    part.stagingBuffers().take(room, own, from, bytes);
                }
            }
        });
    }

    /** Gives each other member its part of the data. */
    private static void give(Part part, Barrier.Steps steps, int room, MemorySegment all, long each, long from,
            long bytes) {
        for (int member = 0; member < part.team().size(); member++) {
            int other = member;
            if (other != part.own()) {
                steps.persist(() -> part.stagingBuffers().give(other, room, all, other * each + from, bytes));
            }
        }
    }

    // --- combining ---

    /**
     * Combines the values of all members, element by element. All members have the result in the array. Cost: that of
     * {@link #allGather}. Where that should take longer: two barriers, and 2 R for each other member. Each R is of a
     * share of the bytes.
     */
    public void allReduce(long[] values, LongBinaryOperator operator) throws InterruptedException {
        allReduce(MemorySegment.ofArray(values), Long.BYTES, operator);
    }

    /** Like {@link #allReduce(long[], LongBinaryOperator)}. */
    public void allReduce(double[] values, DoubleBinaryOperator operator) throws InterruptedException {
        allReduce(MemorySegment.ofArray(values), Double.BYTES, PackedValues.doubles(operator));
    }

    /** Like {@link #allReduce(long[], LongBinaryOperator)}. */
    public void allReduce(int[] values, IntBinaryOperator operator) throws InterruptedException {
        allReduce(MemorySegment.ofArray(values), Integer.BYTES, PackedValues.ints(operator));
    }

    /**
     * Like {@link #allReduce(long[], LongBinaryOperator)}. The operator is given bytes, from -128 to 127, and only the
     * lowest byte of its results counts.
     */
    public void allReduce(byte[] values, IntBinaryOperator operator) throws InterruptedException {
        allReduce(MemorySegment.ofArray(values), Byte.BYTES, PackedValues.bytes(operator));
    }

    private void allReduce(MemorySegment values, long elementBytes, LongBinaryOperator operator)
            throws InterruptedException {
        reduce("allReduce", handle.use(), values, elementBytes, operator, true);
    }

    /**
     * Combines the values of all members, element by element. The root has the result in its array. Cost, at the root
     * alone: that of {@link #allGather}; or a share of that for each member.
     */
    public void reduce(int root, long[] values, LongBinaryOperator operator) throws InterruptedException {
        reduce(root, MemorySegment.ofArray(values), Long.BYTES, operator);
    }

    /** Like {@link #reduce(int, long[], LongBinaryOperator)}. */
    public void reduce(int root, double[] values, DoubleBinaryOperator operator) throws InterruptedException {
        reduce(root, MemorySegment.ofArray(values), Double.BYTES, PackedValues.doubles(operator));
    }

    /** Like {@link #reduce(int, long[], LongBinaryOperator)}. */
    public void reduce(int root, int[] values, IntBinaryOperator operator) throws InterruptedException {
        reduce(root, MemorySegment.ofArray(values), Integer.BYTES, PackedValues.ints(operator));
    }

    /**
     * Like {@link #reduce(int, long[], LongBinaryOperator)}, with an operator like that of {@link #allReduce(byte[],
     * IntBinaryOperator)}.
     */
    public void reduce(int root, byte[] values, IntBinaryOperator operator) throws InterruptedException {
        reduce(root, MemorySegment.ofArray(values), Byte.BYTES, PackedValues.bytes(operator));
    }

    private void reduce(int root, MemorySegment values, long elementBytes, LongBinaryOperator operator)
            throws InterruptedException {
        Part part = handle.use();
        reduce("reduce", part, values, elementBytes, operator, part.team().position(root) == part.own());
    }

    private void reduce(String operation, Part part, MemorySegment values, long elementBytes,
            LongBinaryOperator operator, boolean receives) throws InterruptedException {
        if (values.byteSize() == 0) {
            throw new IllegalArgumentException("a value at least: exchange=" + name + " bytes=0");
        }
        long[] words = PackedValues.words(values, elementBytes);
        long[][] results = new long[1][];
        together(operation, part, values.byteSize(),
                steps -> results[0] = new Reducing(part, steps, operator, receives).reduce(words));
        if (receives) {
            PackedValues.values(results[0], values);
        }
    }

    // --- splitting ---

    /**
     * Returns the members of the same colour as the caller, in their order. Cost: that of {@link #allGather}, of a
     * word.
     */
    public Team split(long colour) throws InterruptedException {
        Team team = team();
        long[] colours = new long[team.size()];
        allGather(MemorySegment.ofArray(new long[]{colour}), MemorySegment.ofArray(colours));
        return Team.of(IntStream.range(0, team.size())
                .filter(position -> colours[position] == colour)
                .map(team::rank)
                .toArray());
    }

    /**
     * Returns the members that run on the same machine as the caller, its containers and pods included. Cost: that of
     * {@link #split}.
     */
    public Team splitByHost() throws InterruptedException {
        try {
            return split(Hashing.wyhashFinal4().hashCharsToLong(Files.readString(HOST)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    // --- checks ---

    private long checkWords(MemorySegment own) {
        if (own.byteSize() == 0 || own.byteSize() % JAVA_LONG.byteSize() != 0) {
            throw new IllegalArgumentException("whole words: exchange=" + name + " bytes=" + own.byteSize());
        }
        return own.byteSize();
    }

    private void checkAll(MemorySegment own, MemorySegment all, Team team) {
        if (all.byteSize() != checkWords(own) * team.size()) {
            throw new IllegalArgumentException("as much for each member: exchange=" + name + " members=" + team.size()
                    + " bytes=" + own.byteSize() + " allBytes=" + all.byteSize());
        }
    }

    @Override
    public String toString() {
        return "Exchange[" + name + "]";
    }

    /** The configuration that it is opened with. Every member must ask for the same team and size of buffers. */
    public static final class Builder extends StructureBuilder<Exchange, Builder> {

        private final Supplier<LogGP> costs;
        private final CollectiveLog log;
        private long roomBytes;
        private Optional<Team> team = Optional.empty();
        private Optional<Reduction> reduction = Optional.empty();

        /**
         * @param costs the costs by which the algorithm is chosen; the same at every member
         * @param defaults what holds as long as the builder is told nothing else
         */
        public Builder(String name, Supplier<Participant> participant, Supplier<LogGP> costs, CollectiveLog log,
                CollectiveSettings defaults) {
            super(name, participant);
            this.log = log;
            this.costs = costs;
            this.roomBytes = defaults.roomBytes();
        }

        /**
         * Sets how many bytes a member lays down at once, a multiple of 8, at most {@value Batch#THREAD_BUFFER_BYTES}.
         * Defaults to {@link CollectiveSettings#roomBytes}.
         */
        public Builder room(long bytes) {
            this.roomBytes = bytes;
            return this;
        }

        /** Sets the members. Defaults to all ranks. */
        public Builder team(Team members) {
            this.team = Optional.of(members);
            return this;
        }

        /** Sets how values are combined, the same at every member. Defaults to the way that should be faster. */
        public Builder reduction(Reduction wanted) {
            this.reduction = Optional.of(wanted);
            return this;
        }

        /** @throws IllegalArgumentException if this rank is no member of the team, when it is opened */
        @Override
        public Exchange openLazily() {
            if (roomBytes < Layouts.WORD || roomBytes % Layouts.WORD != 0 || roomBytes > Batch.THREAD_BUFFER_BYTES) {
                throw new IllegalArgumentException("whole words, at most " + Batch.THREAD_BUFFER_BYTES
                        + " bytes: exchange=" + name() + " roomBytes=" + roomBytes);
            }
            long room = roomBytes;
            Optional<Team> wanted = team;
            Optional<Reduction> way = reduction;
            return new Exchange(name(), log,
                    handleOfReplacedParts(self -> open(self, wanted, room, way)));
        }

        @Override
        protected Handle<?> handle(Exchange exchange) {
            return exchange.handle;
        }

        private Part open(Participant self, Optional<Team> wanted, long room, Optional<Reduction> way) {
            Team members = wanted.orElseGet(() -> Team.all(self.size()));
            members.position(self.rank());
            LogGP known = costs.get();
            String by = way.map(Enum::name).orElseGet(known::toString).replace(" ", "");
            long[] blocks = members.select(self.directory()
                    .open(name(), KIND + " room=" + room + " team=" + members + " by=" + by,
                            rank -> members.contains(rank) ? StagingBuffers.blockBytes(members.size(), room) : 0,
                            OnLoss.FAIL,
                            Replacement.zeroed(_ -> true)));
            // One for each process: it counts its barriers.
            Barrier barrier = self.shared(name(), () -> Part.barrier(self, members, blocks));
            barrier.reachBy(self, blocks);
            return new Part(members, members.position(self.rank()), barrier,
                    new StagingBuffers(self.endpoint(), members, blocks, room),
                    bytes -> way.orElseGet(() -> Reduction.fastest(known, members.size(), bytes)));
        }
    }
}
