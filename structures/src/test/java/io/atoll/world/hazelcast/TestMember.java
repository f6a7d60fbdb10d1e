package io.atoll.world.hazelcast;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A membership together with everything that it has shown to its world. */
final class TestMember implements AutoCloseable {

    private final HazelcastMembership membership;
    private final Member self;
    private final List<List<Member>> views = new CopyOnWriteArrayList<>();

    TestMember(HazelcastSettings settings, Member self) {
        this.membership = new HazelcastMembership(settings);
        this.self = self;
    }

    TestMember(HazelcastSettings settings, WorldIdentity world, int rank) {
        this(settings, new Member(world, rank, 1, Map.of("port", Integer.toString(9000 + rank))));
    }

    TestMember join() {
        try {
            return tryJoin();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    TestMember tryJoin() throws InterruptedException {
        membership.join(self, () -> views.add(membership.members()));
        return this;
    }

    HazelcastMembership membership() {
        return membership;
    }

    Member self() {
        return self;
    }

    List<Integer> ranks() {
        return membership.members().stream().map(Member::rank).toList();
    }

    /** Returns what {@code members()} said at each change. */
    List<List<Member>> views() {
        return views;
    }

    /** Returns the instances of Hazelcast in this JVM that run for the rank. */
    static List<HazelcastInstance> instances(int rank) {
        return Hazelcast.getAllHazelcastInstances()
                .stream()
                .filter(instance -> Integer.toString(rank)
                        .equals(instance.getCluster().getLocalMember().getAttribute("atoll.rank")))
                .toList();
    }

    /** Ends as a killed process does: without a word to the others, all connections closed. */
    void kill() {
        instances(self.rank()).forEach(instance -> instance.getLifecycleService().terminate());
        membership.close();
    }

    @Override
    public void close() {
        membership.close();
    }
}
