package io.atoll.epoch;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the state of a world's reclamation. It remembers since when tokens have been pinned, and what an absent rank
 * had in limbo. Any thread may use it.
 */
final class EpochReader {

    private final TokenAges ages = new TokenAges();
    private final ConcurrentMap<Integer, EpochSnapshot.Rank> seen = new ConcurrentHashMap<>();

    /**
     * Cost: R for the epoch, and R for each rank.
     *
     * @param blocks the offset of each rank's block, 0 if it is not known
     * @param tokens of each block
     */
    public EpochSnapshot read(Endpoint endpoint, long[] blocks, int tokens) {
        return read(endpoint, blocks, tokens, _ -> true).orElseThrow();
    }

    /**
     * As {@link #read(Endpoint, long[], int)}, but leaves out some ranks and shows them as they were last seen.
     *
     * @param isRead is asked for each rank right before the rank is read; false leaves it out
     * @return empty if the rank that has the epoch is left out
     */
    public Optional<EpochSnapshot> read(Endpoint endpoint, long[] blocks, int tokens, IntPredicate isRead) {
        if (!isRead.test(EpochBlock.HOME)) {
            return Optional.empty();
        }
        long epoch = endpoint.readWord(EpochBlock.HOME, blocks[EpochBlock.HOME] + EpochBlock.EPOCH);
        List<EpochSnapshot.Rank> ranks = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(EpochBlock.bytes(tokens, blocks.length), Layouts.CACHE_LINE);
            for (int rank = 0; rank < blocks.length; rank++) {
                EpochSnapshot.Rank state = isRead.test(rank) && read(endpoint, rank, blocks[rank], copy)
                        ? remembered(new Copy(rank, new MappedMemory(copy), tokens, blocks.length, epoch).read(ages,
                                endpoint.clock().nanoTime()))
                        : absent(rank);
                if (state != null) {
                    ranks.add(state);
                }
            }
        }
        return Optional.of(new EpochSnapshot(epoch, List.copyOf(ranks)));
    }

    private static boolean read(Endpoint endpoint, int rank, long block, MemorySegment copy) {
        if (block == 0) {
            return false;
        }
        try {
            // A fabric may use a thread of its own, which must not touch the arena.
            MemorySegment read = MemorySegment.ofArray(new long[(int) (copy.byteSize() / Layouts.WORD)]);
            endpoint.read(rank, block, read, 0, copy.byteSize());
            copy.copyFrom(read);
            return true;
        } catch (FabricException gone) {
            return false;
        }
    }

    private EpochSnapshot.Rank remembered(EpochSnapshot.Rank state) {
        seen.put(state.rank(), state);
        return state;
    }

    /** Returns the rank as it was last seen, or null if it has never been seen. */
    private EpochSnapshot.@Nullable Rank absent(int rank) {
        EpochSnapshot.Rank last = seen.get(rank);
        return last == null ? null : last.absent();
    }

    /** A copy of a rank's block, with the facts that are needed to read it. */
    private record Copy(int rank, MappedMemory block, int tokens, int owners, long epoch) {

        EpochSnapshot.Rank read(TokenAges ages, long nowNanos) {
            List<EpochSnapshot.TokenState> states = new ArrayList<>();
            long used = Math.min(block.get(EpochBlock.TOKENS), tokens);
            for (int index = 0; index < used; index++) {
                states.add(token(index, ages, nowNanos));
            }
            return new EpochSnapshot.Rank(rank, true, block.get(EpochBlock.CACHED_EPOCH),
                    (int) block.get(EpochBlock.INCARNATION),
                    List.copyOf(states), limbo(), block.get(EpochBlock.RETIRED), block.get(EpochBlock.RETIRED_BYTES),
                    block.get(EpochBlock.FREED), block.get(EpochBlock.FREED_BYTES), block.get(EpochBlock.LOST),
                    block.get(EpochBlock.ADVANCES), block.get(EpochBlock.FAILED_ELECTIONS));
        }

        private EpochSnapshot.TokenState token(int index, TokenAges ages, long nowNanos) {
            long token = EpochBlock.token(index);
            long announcement = block.get(token + EpochBlock.ANNOUNCEMENT);
            return new EpochSnapshot.TokenState(rank, index, EpochBlock.readReason(block, 0, token),
                    Announcement.isPinned(announcement),
                    Announcement.epoch(announcement), ages.age(rank, index, announcement, epoch, nowNanos),
                    Announcement.blocks(announcement, epoch));
        }

        private List<EpochSnapshot.Limbo> limbo() {
            List<EpochSnapshot.Limbo> limbo = new ArrayList<>();
            for (long sealed = epoch; sealed > epoch - EpochBlock.LISTS && sealed >= 0; sealed--) {
                List<EpochSnapshot.Owned> owned = owned(EpochBlock.list(sealed), sealed == epoch);
                if (!owned.isEmpty()) {
                    limbo.add(new EpochSnapshot.Limbo(sealed,
                            owned.stream().mapToLong(EpochSnapshot.Owned::objects).sum(),
                            owned.stream().mapToLong(EpochSnapshot.Owned::bytes).sum(), owned));
                }
            }
            return List.copyOf(limbo);
        }

        /** @param youngest true for the list of the present epoch, which also shows the objects in chains */
        private List<EpochSnapshot.Owned> owned(int list, boolean youngest) {
            List<EpochSnapshot.Owned> owned = new ArrayList<>();
            for (int owner = 0; owner < owners; owner++) {
                long place = EpochBlock.owner(tokens, owner);
                long chained = youngest ? block.get(place + EpochBlock.CHAINED_OBJECTS) : 0;
                long objects = block.get(place + EpochBlock.limboObjects(list)) + chained;
                if (objects > 0) {
                    long chainedBytes = youngest ? block.get(place + EpochBlock.CHAINED_BYTES) : 0;
                    owned.add(new EpochSnapshot.Owned(owner, objects,
                            block.get(place + EpochBlock.limboBytes(list)) + chainedBytes));
                }
            }
            return List.copyOf(owned);
        }
    }
}
