package io.atoll.collective.exchange;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.dynatrace.hash4j.hashing.Hashing;
import io.atoll.collective.log.CollectiveLog;
import io.atoll.collective.log.CollectiveLog.Run;
import io.atoll.collective.model.LogGP;
import io.atoll.collective.model.Reduction;
import io.atoll.collective.team.Team;
import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;
import io.atoll.world.Barrier;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntToLongFunction;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * What all members of a team do together: each calls the same methods in the same order, with as much data. Built on barriers by dissemination: a member lays down what it
 * has in its own segment, all meet, and whoever needs it reads it there. Data of more than a room's bytes goes in pieces, one after the other.
 *
 * <p>Results are the same at all members to the last bit, since values are combined in the order of positions, whatever the algorithm.
 *
 * <p><b>Cost</b>, where data fits in a room, R, W and A being a remote read, write and atomic: ceil(log2 members) W for the barrier, and what each method says. Nothing goes to
 * ranks that are no members. Threads of one process take turns.
 *
 * <p><b>Progress.</b> Each waits for the others' calls, and can be interrupted. A member that is lost, or comes back, ends what is under way at every member with a {@link
 * io.atoll.failure.RankUnreachableException} that names it; others may have the result. Arrays that were handed over are as they were then. The next call is one of all again.
 */
public final class Exchange {

    private static final Path HOST = Path.of("/proc/sys/kernel/random/boot_id");

    /** This process's part, once it is opened. */
    record Part(Team team, int own, Barrier barrier, Rooms rooms) {}

    private final String name;
    private final Supplier<LogGP> costs;
    private final Optional<Reduction> reduction;
    private final CollectiveLog log;
    private final Handle<Part> handle;

    Exchange(String name, Supplier<LogGP> costs, Optional<Reduction> reduction, CollectiveLog log,
            Handle<Part> handle) {
        this.name = name;
        this.log = log;
        this.costs = costs;
        this.reduction = reduction;
        this.handle = handle;
    }

    public String name() {
        return name;
    }

    public Team team() {
        return handle.opened().team();
    }

    /** Waits for all members; what any of them has written before, anywhere, is visible to all afterwards. */
    public void barrier() throws InterruptedException {
        together("barrier", handle.opened(), 0, Barrier.Steps::pass);
    }

    private void together(String operation, Part part, long bytes, Barrier.Together acting)
            throws InterruptedException {
        try (Run run = log.begin(name, operation, part.team().size(), bytes)) {
            part.barrier().together(acting);
            run.finish();
        }
    }

    // --- moving ---

    /**
     * Brings to all what each has. Cost: R for each other member, in one batch for each {@value Batch#THREAD_BUFFER_BYTES} bytes.
     *
     * @param own whole words, as many at each member
     * @param all receives them, by position
     */
    public void allGather(MemorySegment own, MemorySegment all) throws InterruptedException {
        Part part = handle.opened();
        checkAll(own, all, part.team());
        gather("allGather", part, own, all, true);
    }

    /**
     * Brings to one what each has. Cost, at the root alone: as {@link #allGather}.
     *
     * @param root its rank
     * @param all receives them, by position, at the root; elsewhere it is not used
     */
    public void gather(int root, MemorySegment own, MemorySegment all) throws InterruptedException {
        Part part = handle.opened();
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
            for (long from = 0; from < each; from += part.rooms().roomBytes()) {
                long start = from;
                long bytes = Math.min(part.rooms().roomBytes(), each - from);
                int room = steps.room();
                part.rooms().layDown(room, 0, own, from, bytes);
                steps.pass();
                if (receives) {
                    part.rooms().collect(room, whole(bytes, position -> position * each + start), all);
                }
            }
        });
        if (receives) {
            MemorySegment.copy(own, 0, all, part.own() * each, each);
        }
    }

    /**
     * Brings to each its part of what one has. Cost, at the root alone: W for each other member.
     *
     * @param root its rank
     * @param all what each is to have, by position, at the root; elsewhere it is not used
     * @param own receives it
     */
    public void scatter(int root, MemorySegment all, MemorySegment own) throws InterruptedException {
        Part part = handle.opened();
        long each = checkWords(own);
        boolean isRoot = part.team().position(root) == part.own();
        if (isRoot) {
            checkAll(own, all, part.team());
            MemorySegment.copy(all, part.own() * each, own, 0, each);
        }
        together("scatter", part, each, steps -> {
            for (long from = 0; from < each; from += part.rooms().roomBytes()) {
                long bytes = Math.min(part.rooms().roomBytes(), each - from);
                int room = steps.room();
                for (int member = 0; isRoot && member < part.team().size(); member++) {
                    if (member != part.own()) {
                        part.rooms().give(member, room, all, member * each + from, bytes);
                    }
                }
                steps.pass();
                if (!isRoot) {
                    part.rooms().take(room, own, from, bytes);
                }
            }
        });
    }

    // --- combining ---

    /**
     * Combines the values of all, element by element; all have the result in the array. Cost: as {@link #allGather}; or, where that should take longer, two barriers
     * and 2 R for each other member, of a share of the bytes each.
     */
    public void allReduce(long[] values, LongBinaryOperator operator) throws InterruptedException {
        reduce("allReduce", handle.opened(), values, operator, true);
    }

    /** As {@link #allReduce(long[], LongBinaryOperator)}. */
    public void allReduce(double[] values, DoubleBinaryOperator operator) throws InterruptedException {
        reduce("allReduce", handle.opened(), values, operator, true);
    }

    /** Combines the values of all, element by element; the root has the result in its array. Cost, at the root alone: as {@link #allGather}; or a share of that for each. */
    public void reduce(int root, long[] values, LongBinaryOperator operator) throws InterruptedException {
        Part part = handle.opened();
        reduce("reduce", part, values, operator, part.team().position(root) == part.own());
    }

    /** As {@link #reduce(int, long[], LongBinaryOperator)}. */
    public void reduce(int root, double[] values, DoubleBinaryOperator operator) throws InterruptedException {
        Part part = handle.opened();
        reduce("reduce", part, values, operator, part.team().position(root) == part.own());
    }

    private void reduce(String operation, Part part, double[] values, DoubleBinaryOperator operator,
            boolean receives) throws InterruptedException {
        long[] bits = Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
        reduce(operation, part, bits, (one, two) -> Double.doubleToRawLongBits(
                operator.applyAsDouble(Double.longBitsToDouble(one), Double.longBitsToDouble(two))), receives);
        if (receives) {
            Arrays.setAll(values, at -> Double.longBitsToDouble(bits[at]));
        }
    }

    private void reduce(String operation, Part part, long[] values, LongBinaryOperator operator, boolean receives)
            throws InterruptedException {
        long[] results = new long[values.length];
        int most = (int) (part.rooms().roomBytes() / Layouts.WORD);
        together(operation, part, values.length * Layouts.WORD, steps -> {
            for (int from = 0; from < values.length; from += most) {
                long[] piece = Arrays.copyOfRange(values, from, Math.min(values.length, from + most));
                reducePiece(part, steps, piece, operator, receives);
                System.arraycopy(piece, 0, results, from, piece.length);
            }
        });
        if (receives) {
            System.arraycopy(results, 0, values, 0, values.length);
        }
    }

    private void reducePiece(Part part, Barrier.Steps steps, long[] piece, LongBinaryOperator operator,
            boolean receives) throws InterruptedException {
        long bytes = piece.length * Layouts.WORD;
        int room = steps.room();
        part.rooms().layDown(room, 0, MemorySegment.ofArray(piece), 0, bytes);
        steps.pass();
        int members = part.team().size();
        Reduction chosen = reduction.orElseGet(() -> Reduction.fastest(costs.get(), members, bytes));
        if (chosen == Reduction.SHARED) {
            reduceShare(part, steps, room, piece, operator, receives);
        } else if (receives) {
            combine(part, room, piece, 0, piece.length, operator);
        }
    }

    /** Each combines its share of the elements for all. */
    private void reduceShare(Part part, Barrier.Steps steps, int room, long[] piece, LongBinaryOperator operator,
            boolean receives) throws InterruptedException {
        int members = part.team().size();
        int share = Math.ceilDiv(piece.length, members);
        int first = Math.min(piece.length, part.own() * share);
        int count = Math.min(piece.length, first + share) - first;
        combine(part, room, piece, first, count, operator);
        int next = steps.room();
        part.rooms()
                .layDown(next, first * Layouts.WORD, MemorySegment.ofArray(piece), first * Layouts.WORD,
                        count * Layouts.WORD);
        steps.pass();
        if (receives) {
            part.rooms().collect(next, new Rooms.Part() {
                @Override
                public long place(int member) {
                    return Math.min(piece.length, member * share) * Layouts.WORD;
                }

                @Override
                public long bytes(int member) {
                    return (Math.min(piece.length, (member + 1) * share) - Math.min(piece.length, member * share))
                            * Layouts.WORD;
                }

                @Override
                public long position(int member) {
                    return place(member);
                }
            }, MemorySegment.ofArray(piece));
        }
    }

    /** Combines some elements of all members' rooms with the own ones, in the order of positions. */
    private static void combine(Part part, int room, long[] piece, int first, int count, LongBinaryOperator operator) {
        int members = part.team().size();
        long[] all = new long[Math.multiplyExact(members, count)];
        part.rooms().collect(room, new Rooms.Part() {
            @Override
            public long place(int member) {
                return first * Layouts.WORD;
            }

            @Override
            public long bytes(int member) {
                return count * Layouts.WORD;
            }

            @Override
            public long position(int member) {
                return member * count * Layouts.WORD;
            }
        }, MemorySegment.ofArray(all));
        System.arraycopy(piece, first, all, part.own() * count, count);
        for (int at = 0; at < count; at++) {
            int element = at;
            piece[first + at] = IntStream.range(1, members)
                    .mapToLong(member -> all[member * count + element])
                    .reduce(all[element], operator);
        }
    }

    // --- splitting ---

    /** The members of the same colour as the caller, in their order. Cost: as {@link #allGather}, of a word. */
    public Team split(long colour) throws InterruptedException {
        Team team = team();
        long[] colours = new long[team.size()];
        allGather(MemorySegment.ofArray(new long[]{colour}), MemorySegment.ofArray(colours));
        return Team.of(IntStream.range(0, team.size())
                .filter(position -> colours[position] == colour)
                .map(team::rank)
                .toArray());
    }

    /** The members that run on the same machine as the caller, containers and pods of it included. Cost: as {@link #split}. */
    public Team splitByHost() throws InterruptedException {
        try {
            return split(Hashing.wyhashFinal4().hashCharsToLong(Files.readString(HOST)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    // --- what is asked for ---

    private static Rooms.Part whole(long bytes, IntToLongFunction position) {
        return new Rooms.Part() {
            @Override
            public long place(int member) {
                return 0;
            }

            @Override
            public long bytes(int member) {
                return bytes;
            }

            @Override
            public long position(int member) {
                return position.applyAsLong(member);
            }
        };
    }

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

    /** What it is opened with; every member must ask for the same team and room. */
    public static final class Builder {

        private final String name;
        private final Supplier<Participant> participant;
        private final Supplier<LogGP> costs;
        private final Exchanges opened;
        private final CollectiveLog log;
        private long roomBytes = 16 << 10;
        private Optional<Team> team = Optional.empty();
        private Optional<Reduction> reduction = Optional.empty();

        /** @param costs by which the algorithm is chosen; the same at every member */
        public Builder(String name, Supplier<Participant> participant, Exchanges opened, Supplier<LogGP> costs,
                CollectiveLog log) {
            this.name = name;
            this.log = log;
            this.participant = participant;
            this.opened = opened;
            this.costs = costs;
        }

        /** What a member lays down at once, in bytes, a multiple of 8, at most {@value Batch#THREAD_BUFFER_BYTES}; 16 KiB unless told. */
        public Builder room(long bytes) {
            this.roomBytes = bytes;
            return this;
        }

        /** Who takes part; all ranks unless told. */
        public Builder team(Team members) {
            this.team = Optional.of(members);
            return this;
        }

        /** How values are combined, the same at every member; the way that should be faster unless told. */
        public Builder reduction(Reduction wanted) {
            this.reduction = Optional.of(wanted);
            return this;
        }

        /**
         * Attaches to it, or creates it.
         *
         * @throws io.atoll.failure.ConfigurationMismatchException when the name exists with another configuration
         * @throws io.atoll.failure.SegmentFullException when there is no room for it
         * @throws IllegalArgumentException when this rank is no member of the team
         */
        public Exchange open() {
            Exchange exchange = openLazily();
            exchange.handle.opened();
            return exchange;
        }

        /** As {@link #open()}, but on first use: that waits for missing ranks and throws what {@code open} throws, and if it fails the next use tries again. */
        public Exchange openLazily() {
            if (roomBytes < Layouts.WORD || roomBytes % Layouts.WORD != 0 || roomBytes > Batch.THREAD_BUFFER_BYTES) {
                throw new IllegalArgumentException("whole words, at most " + Batch.THREAD_BUFFER_BYTES
                        + " bytes: exchange=" + name + " roomBytes=" + roomBytes);
            }
            long room = roomBytes;
            Optional<Team> wanted = team;
            return new Exchange(name, costs, reduction, log,
                    new Handle<>(() -> opened.part(name, () -> open(wanted, room))));
        }

        private Part open(Optional<Team> wanted, long room) {
            Participant self = participant.get();
            Team members = wanted.orElseGet(() -> Team.all(self.size()));
            int own = members.position(self.rank());
            long[] blocks = members.select(self.directory()
                    .open(name, "exchange room=" + room + " team=" + members,
                            rank -> members.contains(rank) ? Rooms.blockBytes(room) : 0));
            int[] ranks = IntStream.range(0, members.size()).map(members::rank).toArray();
            return new Part(members, own, Barrier.of(self, ranks, blocks),
                    new Rooms(self.endpoint(), members, blocks, room));
        }
    }
}
