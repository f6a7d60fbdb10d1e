package io.atoll.epoch;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How the reclamation of a world stands. Each number was true at some moment; together they are consistent if nothing happened meanwhile.
 *
 * @param epoch of the world
 * @param ranks that could be read, in their order
 */
public record EpochSnapshot(long epoch, List<Rank> ranks) {

    /**
     * One rank's part.
     *
     * @param cachedEpoch in which its tokens are pinned
     * @param incarnation whose tokens these are, 0 if it has not used any
     * @param tokens that were registered at some time
     * @param limbo lists that are not empty
     * @param retired objects since ever, without those of bags that are not full yet
     * @param retiredBytes of those objects, as far as it was told
     * @param freed objects
     * @param freedBytes of those objects, as far as it was told
     * @param lost objects that deaths have cost
     * @param advances of the world's epoch by this rank
     * @param failedElections attempts that left it to others
     */
    public record Rank(int rank, long cachedEpoch, int incarnation, List<TokenState> tokens, List<Limbo> limbo,
            long retired, long retiredBytes, long freed, long freedBytes, long lost, long advances,
            long failedElections) {}

    /**
     * One place of a rank's table.
     *
     * @param thread whose it is, or was last
     * @param epoch since which it is pinned; meaningless if it is not
     * @param age for how long it has been pinned, as far as this process has seen
     * @param blocks whether the epoch of the world does not advance because of it
     */
    public record TokenState(int rank, int index, String thread, boolean pinned, long epoch, Duration age,
            boolean blocks) {}

    /**
     * What waits to be freed.
     *
     * @param epoch in which it was sealed, or, of what was put there late, a multiple of three before
     * @param bytes of the objects, as far as it was told
     */
    public record Limbo(long epoch, long objects, long bytes) {}

    /** Tokens that have been pinned for longer than the limit. */
    public List<TokenState> pinnedLongerThan(Duration limit) {
        return ranks.stream()
                .flatMap(rank -> rank.tokens.stream())
                .filter(token -> token.pinned && token.age.compareTo(limit) > 0)
                .toList();
    }

    static EpochSnapshot of(Reclamation reclamation, TokenAges ages) {
        return of(reclamation.self().endpoint(), reclamation.blocks(), reclamation.settings().tokens(), ages);
    }

    /** @param blocks where each rank's is, 0 of one that is not known */
    static EpochSnapshot of(Endpoint endpoint, long[] blocks, int tokens, TokenAges ages) {
        long epoch = endpoint.readWord(Reclamation.HOME, blocks[Reclamation.HOME] + EpochBlock.EPOCH);
        long bytes = EpochBlock.token(tokens);
        List<Rank> ranks = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(bytes, Layouts.CACHE_LINE);
            for (int rank = 0; rank < blocks.length; rank++) {
                if (blocks[rank] == 0) {
                    continue;
                }
                try {
                    endpoint.read(rank, blocks[rank], copy, 0, bytes);
                } catch (FabricException gone) {
                    // Nothing is known of it while it is not there.
                    continue;
                }
                ranks.add(rank(rank, new MappedMemory(copy), epoch, ages, endpoint.clock().nanoTime()));
            }
        }
        return new EpochSnapshot(epoch, List.copyOf(ranks));
    }

    private static Rank rank(int rank, MappedMemory block, long epoch, TokenAges ages, long nowNanos) {
        List<TokenState> tokens = new ArrayList<>();
        long used = Math.min(block.get(EpochBlock.TOKENS), (block.size() - EpochBlock.FIRST_TOKEN)
                / EpochBlock.TOKEN_BYTES);
        for (int index = 0; index < used; index++) {
            tokens.add(token(rank, index, block, epoch, ages, nowNanos));
        }
        return new Rank(rank, block.get(EpochBlock.CACHED_EPOCH), (int) block.get(EpochBlock.INCARNATION),
                List.copyOf(tokens), limbo(block, epoch), block.get(EpochBlock.RETIRED),
                block.get(EpochBlock.RETIRED_BYTES), block.get(EpochBlock.FREED), block.get(EpochBlock.FREED_BYTES),
                block.get(EpochBlock.LOST), block.get(EpochBlock.ADVANCES), block.get(EpochBlock.FAILED_ELECTIONS));
    }

    private static TokenState token(int rank, int index, MappedMemory block, long epoch, TokenAges ages,
            long nowNanos) {
        long token = EpochBlock.token(index);
        long announcement = block.get(token + EpochBlock.ANNOUNCEMENT);
        return new TokenState(rank, index, EpochBlock.readName(block, token), Announcement.isPinned(announcement),
                Announcement.epoch(announcement), ages.age(rank, index, announcement, nowNanos),
                Announcement.blocks(announcement, epoch));
    }

    private static List<Limbo> limbo(MappedMemory block, long epoch) {
        List<Limbo> limbo = new ArrayList<>();
        for (long sealed = epoch; sealed > epoch - EpochBlock.LISTS && sealed >= 0; sealed--) {
            long list = EpochBlock.list(sealed) * Layouts.WORD;
            long objects = block.get(EpochBlock.LIMBO_OBJECTS + list);
            if (objects > 0) {
                limbo.add(new Limbo(sealed, objects, block.get(EpochBlock.LIMBO_BYTES + list)));
            }
        }
        return List.copyOf(limbo);
    }
}
