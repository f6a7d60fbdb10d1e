package io.atoll.fabric.rdma;

import io.atoll.fabric.link.ConnectRequest;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Origin;
import io.atoll.fabric.link.Origins;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The challenges that an owner has given to requesters. It keeps each one until the requester proves that it knows the
 * secret.
 *
 * <p>The owner keeps at most {@link #MOST} challenges, each for at most {@link #TIMEOUT}. If there are more, it forgets
 * the oldest one of the origin that has most. So the requesters of one origin cannot keep those of another origin out.
 * A requester whose challenge is forgotten comes again. For one thread only.
 */
final class Challenges {

    /** At most this many requesters may have a challenge. */
    static final int MOST = 64;

    static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Keys keys;
    private final LinkedHashMap<Integer, Challenge> given = new LinkedHashMap<>(); // by ticket, the oldest first
    private final Origins<Integer> origins = new Origins<>(); // the origins of the tickets

    Challenges(Keys keys) {
        this.keys = keys;
    }

    /** The words that both sides have sent so far. */
    private record Challenge(ConnectRequest connectRequest, byte[] hello, byte[] bytes, long givenNanos) {}

    /**
     * A request of a process that knows the secret.
     *
     * @param key the key by which the process has proved it
     */
    record Proved(ConnectRequest connectRequest, Keys keys, int key, byte[] hello, byte[] challenge) {

        /** Returns the owner's proof, which follows its answer. */
        byte[] ownersProof(byte[] answer) {
            return keys.proof(key, Keys.OWNER, hello, challenge, answer);
        }
    }

    /** Returns a new challenge for a requester from this origin. */
    MemorySegment give(ConnectRequest connectRequest, MemorySegment hello, Origin origin, long nowNanos,
            SegmentAllocator allocator) {
        int ticket = ByteBuffer.wrap(Keys.nonce()).getInt();
        forget(ticket); // a random ticket may be in use already
        MemorySegment challenge = RdmaHandshake.challenge(ticket, allocator);
        given.put(ticket, new Challenge(connectRequest, RdmaHandshake.bytes(hello, RdmaHandshake.HELLO),
                RdmaHandshake.bytes(challenge, RdmaHandshake.CHALLENGE), nowNanos));
        origins.add(origin, ticket);
        if (given.size() > MOST) {
            forget(origins.oldest(origins.largest()));
        }
        return challenge;
    }

    private void forget(int ticket) {
        given.remove(ticket);
        origins.remove(ticket);
    }

    /** Forgets the challenges that the requesters have not answered in time. */
    void forgetLate(long nowNanos) {
        while (!given.isEmpty()
                && nowNanos - given.firstEntry().getValue().givenNanos() > TIMEOUT.toNanos()) {
            forget(given.firstEntry().getKey());
        }
    }

    /** Returns the request whose challenge is answered here, or null if the owner has forgotten it. */
    @Nullable ConnectRequest requester(MemorySegment proofs) {
        Challenge challenge = given.get(RdmaHandshake.ticket(proofs));
        return challenge == null ? null : challenge.connectRequest();
    }

    /**
     * Returns the request if one of the proofs is right. A right answer uses its challenge up, a wrong one does not.
     */
    Optional<Proved> check(MemorySegment proofs) {
        int ticket = RdmaHandshake.ticket(proofs);
        Challenge challenge = given.get(ticket);
        if (challenge == null) {
            return Optional.empty();
        }
        int key = keys.matching(RdmaHandshake.readProofs(proofs), Keys.CALLER, challenge.hello(), challenge.bytes());
        if (key == Keys.NONE) {
            return Optional.empty();
        }
        forget(ticket);
        return Optional.of(new Proved(challenge.connectRequest(), keys, key, challenge.hello(), challenge.bytes()));
    }
}
