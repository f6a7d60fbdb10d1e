package io.atoll.world.hazelcast;

import io.atoll.world.Member;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * When a process leaves the members that it sees, and joins again. A world falls into parts when a process was paused, when the network
 * was, or when processes started without being able to see each other.
 *
 * <p>A part <em>stays</em> if it has more than half of the world's ranks, or just half and rank 0 among them. At most one part does, and its
 * members notice nothing of the others' return. The processes of any other part come back one by one, as soon as somebody whom they do not see answers; a
 * newcomer joins whatever it finds, so the parts become one.
 *
 * <p>That somebody answers is no proof that he can be joined: he may just be joining here, be paused, or be another program. So the answers
 * must last for a while in which nobody comes or goes here, and that while doubles with each attempt that led nowhere.
 */
final class RejoinPolicy {

    private static final int FIRST_PATIENCE = 3;
    private static final int LAST_PATIENCE = 96;
    private static final int CONNECT_TIMEOUT_MILLIS = 300;

    private final int worldSize;
    private final Supplier<? extends Collection<InetSocketAddress>> seeds;
    private final Predicate<InetSocketAddress> answers;

    private Set<InetSocketAddress> lastPart = Set.of();
    private int patience = FIRST_PATIENCE;
    private int answered;
    private int lastChange;

    RejoinPolicy(int worldSize, Supplier<? extends Collection<InetSocketAddress>> seeds,
            Predicate<InetSocketAddress> answers) {
        this.worldSize = worldSize;
        this.seeds = seeds;
        this.answers = answers;
    }

    /**
     * To be asked at regular intervals.
     *
     * @param members whom the process sees
     * @param addresses theirs
     * @param change a number that differs whenever a member has come or gone since
     */
    boolean isDue(List<Member> members, Set<InetSocketAddress> addresses, int change) {
        if (stays(members)) {
            lastPart = addresses;
            patience = FIRST_PATIENCE;
            answered = 0;
            return false;
        }
        answered = change == lastChange && somebodyElseAnswers(addresses) ? answered + 1 : 0;
        lastChange = change;
        if (answered < patience) {
            return false;
        }
        answered = 0;
        patience = Math.min(2 * patience, LAST_PATIENCE);
        return true;
    }

    private boolean stays(List<Member> members) {
        int twice = 2 * members.size();
        return twice > worldSize || twice == worldSize && members.stream().anyMatch(member -> member.rank() == 0);
    }

    private boolean somebodyElseAnswers(Set<InetSocketAddress> addresses) {
        Set<InetSocketAddress> others = new HashSet<>(seeds.get());
        others.addAll(lastPart);
        others.removeAll(addresses);
        return others.stream().anyMatch(answers);
    }

    /** Whether somebody accepts connections there. */
    static boolean answers(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_TIMEOUT_MILLIS);
            return true;
        } catch (IOException nobody) {
            return false;
        }
    }
}
