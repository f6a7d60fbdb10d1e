package io.atoll.world.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What can happen only to processes: they are paused and killed. */
@Isolated
@Tag("processes")
class HazelcastMembershipProcessesTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String ALL = "[0, 1, 2]";

    private final int port = FreePorts.range(10);
    private final WorldIdentity world = new WorldIdentity("shop", 3);
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private MembershipProcess process(int rank) {
        MembershipProcess process = MembershipProcess.start(port, world.size(), rank);
        opened.add(process);
        return process;
    }

    private TestMember member(int rank, int incarnation) {
        TestMember member = new TestMember(MembershipProcess.settings(port),
                new Member(world, rank, incarnation, Map.of()));
        opened.add(member);
        return member.join();
    }

    private static void awaitView(MembershipProcess process, String view) {
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(process.views()).as("all it said: %s", process.lines())
                                .last()
                                .isEqualTo(view));
    }

    private static void awaitRanks(TestMember member, Integer... ranks) {
        await().atMost(SOON).untilAsserted(() -> assertThat(member.ranks()).containsExactlyInAnyOrder(ranks));
    }

    /**
     * The paused process is the first member, at the lowest address. With Hazelcast's own merge the others would follow
     * it.
     */
    @Test
    void aPausedProcessComesBackTheOthersNeverLoseEachOtherAndOneThatIsKilledIsNoticed() throws Exception {
        MembershipProcess paused = process(0);
        awaitView(paused, "[0]");
        List<MembershipProcess> others = List.of(process(1), process(2));
        others.forEach(other -> awaitView(other, ALL));
        awaitView(paused, ALL);
        List<Integer> seen = others.stream().map(other -> other.views().size()).toList();

        paused.pause();
        others.forEach(other -> awaitView(other, "[1, 2]"));
        paused.resume();
        long start = System.nanoTime();
        awaitView(paused, "[0]");
        awaitView(paused, ALL);
        System.out.printf("a paused process was back in %d ms%n", (System.nanoTime() - start) / 1_000_000);

        for (int index = 0; index < others.size(); index++) {
            awaitView(others.get(index), ALL);
            List<String> views = others.get(index).views();
            assertThat(views.subList(seen.get(index), views.size())).containsExactly("[1, 2]", ALL);
        }
        others.getFirst().kill();
        awaitView(paused, "[0, 2]");
        assertThat(paused.end()).isZero();
        assertThat(paused.lines()).as("of two starts nothing is left").last().isEqualTo("threads left: ");
    }

    /** Reads stack traces: asking Hazelcast for its instances would wait until an instance that starts has started. */
    private static boolean somebodyJoinsHere() {
        return Thread.getAllStackTraces()
                .values()
                .stream()
                .flatMap(Arrays::stream)
                .anyMatch(frame -> frame.getClassName().equals(LiteMember.class.getName())
                        && frame.getMethodName().equals("start"));
    }

    /** A paused process's port accepts connections, so that the other one tries to join it again. */
    @Test
    void whoWaitsForAPausedProcessCanBeClosed() {
        MembershipProcess paused = process(0);
        awaitView(paused, "[0]");
        TestMember waiting = member(1, 1);
        awaitRanks(waiting, 0, 1);
        paused.pause();
        awaitRanks(waiting, 1);
        await().atMost(SOON).until(HazelcastMembershipProcessesTest::somebodyJoinsHere);
        assertThat(waiting.membership().members()).as("while it joins again").containsExactly(waiting.self());
        long start = System.nanoTime();
        waiting.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("hz.") || name.startsWith("atoll-")));
    }
}
