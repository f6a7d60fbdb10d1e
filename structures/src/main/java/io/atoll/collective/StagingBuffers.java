package io.atoll.collective;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.Barrier;
import java.lang.foreign.MemorySegment;
import java.util.function.IntToLongFunction;

/**
 * The staging buffers in which the members of a team lay down data. A member's own buffer has what others are to read,
 * another member's buffer what that member is to have. Each member has two buffers, used in turn.
 * <pre>
 *       0           whole lines
 *       +-----------+-----------+-----------+
 *       |  barrier  | buffer 0  | buffer 1  |
 *       +-----------+-----------+-----------+
 * </pre>
 * The members of a team never change. So the barrier has a word for each member, not for each rank that the world may
 * ever have.
 */
class StagingBuffers {

    private final Endpoint endpoint;
    private final Team team;
    private final long[] blocks;
    private final long roomBytes;
    private final int own;

    /** @param blocks where each member's part lies in its segment, by position */
    StagingBuffers(Endpoint endpoint, Team team, long[] blocks, long roomBytes) {
        this.endpoint = endpoint;
        this.team = team;
        this.blocks = blocks;
        this.roomBytes = roomBytes;
        this.own = team.position(endpoint.rank());
    }

    /** Returns the bytes of a member's part. */
    static long blockBytes(int members, long roomBytes) {
        return Barrier.areaBytes(members) + 2 * roomBytes;
    }

    long roomBytes() {
        return roomBytes;
    }

    private long offset(int position, int room, long place) {
        return blocks[position] + Barrier.areaBytes(team.size()) + room(room) * roomBytes + place;
    }

    int room(int room) {
        return room;
    }

    /** Lays down a part of the source in this rank's buffer. Cost: no verb. */
    void layDown(int room, long place, MemorySegment source, long position, long bytes) {
        endpoint.fabric().local().store(offset(own, room, place), source, position, bytes);
    }

    /** Takes what lies in this rank's buffer. Cost: no verb. */
    void take(int room, MemorySegment target, long position, long bytes) {
        endpoint.fabric().local().load(offset(own, room, 0), target, position, bytes);
    }

    /** Lays down data in another member's buffer. Cost: W. */
    void give(int member, int room, MemorySegment source, long position, long bytes) {
        endpoint.write(team.rank(member), offset(member, room, 0), source, position, bytes);
        endpoint.flush(team.rank(member));
    }

    /** The bytes of each member's buffer that are read, and where they go. */
    interface Part {

        /** Returns the place of the first byte in the buffer. */
        long place(int member);

        long bytes(int member);

        /** Returns the position in the target. */
        long position(int member);

        /** Returns the same part of each member's buffer. */
        static Part same(long place, long bytes, IntToLongFunction position) {
            return new Part() {
                @Override
                public long place(int member) {
                    return place;
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

        /** Returns a share of the words from each member, at the place where it lies in the buffer. */
        static Part shares(int words, int share) {
            return new Part() {
                @Override
                public long place(int member) {
                    return Math.min(words, member * share) * Layouts.WORD;
                }

                @Override
                public long bytes(int member) {
                    return place(member + 1) - place(member);
                }

                @Override
                public long position(int member) {
                    return place(member);
                }
            };
        }
    }

    /**
     * Reads parts of the buffers of all others. Cost: R for each, in one batch for each {@value
     * Batch#THREAD_BUFFER_BYTES} bytes.
     */
    void collect(int room, Part part, MemorySegment target) {
        int member = 0;
        while (member < team.size()) {
            member = collect(room, part, target, member);
        }
    }

    /** Reads from a member on, as many as the batch has room for. Returns the next member. */
    private int collect(int room, Part part, MemorySegment target, int first) {
        long[] at = new long[team.size()];
        int member = first;
        try (Batch batch = endpoint.batch()) {
            long used = 0;
            for (; member < team.size(); member++) {
                long bytes = member == own ? 0 : part.bytes(member);
                if (used + bytes > Batch.THREAD_BUFFER_BYTES) {
                    break;
                }
                if (bytes > 0) {
                    batch.read(team.rank(member), offset(member, room, part.place(member)), used, bytes);
                }
                at[member] = used;
                used += Layouts.roundUp(bytes, Layouts.WORD);
            }
            batch.complete();
            for (int each = first; each < member; each++) {
                if (each != own) {
                    MemorySegment.copy(batch.buffer(used), at[each], target, part.position(each), part.bytes(each));
                }
            }
        }
        return member;
    }
}
