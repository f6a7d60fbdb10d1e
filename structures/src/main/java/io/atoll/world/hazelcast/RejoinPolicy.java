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
 * Decides when a process leaves the members that it sees, and joins again. A world falls into parts if a process was
 * paused, or the network was cut. So it does if processes started without reaching each other.
 *
 * <p>A part <em>stays</em> if it has more than half of the world's ranks, or half with rank 0. At most one part stays,
 * and its members do not notice how the others come back. The processes of any other part leave one by one, once a
 * process that they do not see answers. A newcomer joins whatever it finds, so the parts become one.
 *
 * <p>An answer is no proof that a process can be joined: it may just be joining here, or be paused, or be another
 * program. So the answers must last for a while in which no member comes or goes here. That while doubles with each
 * attempt that led nowhere.
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
     * Returns true if the process is to leave and join again now. The caller asks at regular intervals.
     *
     * @param members that the process sees
     * @param addresses of those members
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

    /** Returns true if a process accepts connections there. */
    static boolean answers(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_TIMEOUT_MILLIS);
            return true;
        } catch (IOException nobody) {
            return false;
        }
    }
}
