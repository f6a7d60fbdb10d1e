package io.atoll.peers;

import com.hazelcast.collection.IQueue;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.IMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** A map and a queue of Hazelcast without backups. What is used of them belongs to the other member. */
final class HazelcastMember implements Subject {

    private final HazelcastInstance member;
    private final IMap<Long, Long> map;
    private final IQueue<Long> queue;
    private final Keys keys;

    /** @param member one of two; the other one may still be joining */
    HazelcastMember(HazelcastInstance member) throws InterruptedException {
        this.member = member;
        awaitPartitions();
        this.map = member.getMap(Worlds.MAP);
        this.queue = member.getQueue(IntStream.iterate(0, each -> each + 1)
                .mapToObj(each -> Worlds.QUEUE + "-" + each)
                .filter(this::isAway)
                .findFirst()
                .orElseThrow());
        this.keys = new Keys(this::isAway);
        keys.keptInParts(map::putAll);
    }

    private void awaitPartitions() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!member.getPartitionService().isClusterSafe()
                || LongStream.range(0, Keys.A_TURN).noneMatch(this::isAway)) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("Hazelcast gives the other member no partition");
            }
            Thread.sleep(100);
        }
    }

    private boolean isAway(Object key) {
        var owner = member.getPartitionService().getPartition(key).getOwner();
        return owner != null && !owner.localMember();
    }

    /** Adds one at the member that has the key. */
    private static final class Increment implements EntryProcessor<Long, Long, Long> {

        private static final long serialVersionUID = 1L;

        @Override
        public Long process(Map.Entry<Long, Long> entry) {
            long sum = entry.getValue() + 1;
            entry.setValue(sum);
            return sum;
        }
    }

    @Override
    public Rounds.Operation operation(Work work) {
        Increment increment = new Increment();
        return switch (work) {
            case GET -> index -> Subject.require(map.get(keys.kept(index)) != null);
            case INSERT -> index -> Subject.require(map.putIfAbsent(keys.passing(index), (long) index) == null);
            case PUT -> index -> map.set(keys.kept(index), (long) index);
            case INCREMENT -> index -> Subject.require(map.executeOnKey(keys.kept(index), increment) != null);
            case REMOVE -> index -> map.delete(keys.passing(index));
            case PUSH -> index -> Subject.require(queue.offer((long) index));
            case POP -> index -> Subject.require(Objects.equals(queue.poll(), (long) index));
            case GET_ALL_16, GET_ALL_256 -> keys.getAll(work, map::getAll);
            case PUT_ALL_16, PUT_ALL_256 -> keys.putAll(work, map::putAll);
        };
    }
}
