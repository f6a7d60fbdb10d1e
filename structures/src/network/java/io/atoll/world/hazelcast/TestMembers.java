package io.atoll.world.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.hazelcast.core.Hazelcast;
import io.atoll.failure.JoinRefusedException;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Members of a world of three in this JVM, impatient so that tests are quick. */
abstract class TestMembers {

    static final Duration SOON = Duration.ofSeconds(60);

    final WorldIdentity world = new WorldIdentity("shop", 3);
    final int port = FreePorts.range(20);
    final HazelcastSettings settings = MembershipProcess.settings(port);
    final List<AutoCloseable> opened = new ArrayList<>();

    final void closeAll() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        opened.clear();
    }

    final void assertNothingIsLeft() {
        assertThat(Hazelcast.getAllHazelcastInstances()).isEmpty();
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("hz.") || name.startsWith("atoll-")));
        assertThat(IntStream.range(port, port + 20)).allMatch(FreePorts::isFree);
    }

    final TestMember member(WorldIdentity world, int rank) {
        return member(settings, new Member(world, rank, 1, Map.of()));
    }

    final TestMember member(HazelcastSettings settings, Member self) {
        TestMember member = new TestMember(settings, self);
        opened.add(member);
        return member;
    }

    final Member rank(int rank, int incarnation) {
        return new Member(world, rank, incarnation, Map.of());
    }

    static void awaitRanks(TestMember member, Integer... ranks) {
        await().atMost(SOON).untilAsserted(() -> assertThat(member.ranks()).containsExactly(ranks));
    }

    static JoinRefusedException refusalOf(TestMember member) {
        return catchThrowableOfType(JoinRefusedException.class, member::join);
    }
}
