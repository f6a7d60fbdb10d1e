package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.Presence;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.FabricType;
import io.atoll.failure.RankUnreachableException;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockAlgorithm;
import io.atoll.lock.LockTable;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Liveness;
import io.atoll.world.Peers.PeerStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two ranks of four end, as if each rank had a host of its own. Only the membership tells that a rank has ended. Only
 * the owner of a segment tells which ranks it has shut out.
 */
@Tag("slow")
class WorldSurvivorsTest {

    private static final int SIZE = 4;
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private final OpenRoster roster = new OpenRoster();
    private final List<World> worlds = new ArrayList<>();

    /**
     * Shared memory that knows no more of other ranks than a network card does.
     *
     * @param oneWay the incarnation of rank 3 that reaches rank 2, but that rank 2 never reaches
     */
    private record Apart(FabricType segments, int oneWay) implements FabricType {

        @Override
        public String name() {
            return segments.name();
        }

        @Override
        public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
            Attachment attached = segments.attach(world, rank, segmentBytes);
            int own = attached.fabric().rank();
            LocalMemory memory = attached.fabric().local();
            return Wrapper.around(attached, Attachment.class, call -> switch (call.name()) {
                case "needsViews" -> true;
                case "sharesMemoryWith" -> false;
                case "presence" -> call.arguments()[0].equals(own)
                        ? attached.presence(own)
                        : new Presence(State.UNKNOWN, 0);
                case "isFenced" -> SegmentHeader.isFenced((int) call.arguments()[0], (int) call.arguments()[1],
                        word -> attached.fabric().readWord((int) call.arguments()[2], word));
                case "fence" -> {
                    int lost = (int) call.arguments()[0];
                    attached.fence(lost);
                    SegmentHeader.noteFenced(memory, lost, SegmentHeader.remembered(memory, lost));
                    yield null;
                }
                case "connect" -> {
                    call.proceed();
                    if (own == 2 && call.arguments()[0].equals(3) && call.arguments()[1].equals(oneWay)) {
                        throw new RankUnreachableException("cannot connect", "attach", 3, 0);
                    }
                    yield null;
                }
                default -> call.proceed();
            });
        }
    }

    @BeforeEach
    void open() throws InterruptedException {
        for (int rank = 0; rank < SIZE; rank++) {
            worlds.add(open(rank));
        }
        for (World world : worlds) {
            world.peers().awaitAll(SOON);
        }
    }

    private World open(int rank) {
        return World.named("survivors")
                .size(SIZE)
                .rank(rank)
                .segment(4 << 20)
                .fabric(new Apart(Fabrics.sharedMemory(folder, false), 2))
                .membership(roster.membership())
                .open();
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private void end(int rank) {
        worlds.get(rank).close();
        worlds.stream()
                .limit(2)
                .forEach(survivor -> await().atMost(SOON)
                        .until(() -> survivor.peers().snapshot().get(rank).status() == PeerStatus.LOST));
    }

    private List<LockTable> tables(LockAlgorithm algorithm) {
        return worlds.stream()
                .map(world -> world.lockTable("accounts").locks(SIZE).algorithm(algorithm).open())
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void aLockOfARankThatHasEndedIsGrantedThoughAnotherEndedBefore(LockAlgorithm algorithm) throws Exception {
        List<LockTable> tables = tables(algorithm);
        tables.get(2).lockAt(0);
        tables.get(3).lockAt(1);
        end(3);
        end(2);
        try (Acquisition elsewhere = tables.get(1).tryLockAt(0, SOON);
                Acquisition own = tables.get(1).tryLockAt(1, SOON)) {
            assertThat(Stream.of(elsewhere, own)).allSatisfy(each -> {
                assertThat(each).isNotNull();
                assertThat(each.recovered()).isTrue();
            });
        }
    }

    /** The living process of the owner has not met the holder. Only a former process of the owner has. */
    @ParameterizedTest
    @EnumSource
    void aLockIsGrantedThoughItsHolderEndedWhileTheOwnerWasAway(LockAlgorithm algorithm) throws Exception {
        List<LockTable> tables = tables(algorithm);
        tables.get(3).lockAt(2);
        worlds.get(2).close();
        end(3);
        worlds.set(2, open(2));
        await().atMost(SOON)
                .until(() -> worlds.stream()
                        .limit(2)
                        .allMatch(survivor -> survivor.peers().snapshot().get(2).status() == PeerStatus.JOINED));
        try (Acquisition granted = tables.get(1).tryLockAt(2, SOON)) {
            assertThat(granted).isNotNull();
        }
        assertThat(worlds.get(2).peers().snapshot().get(3).status()).isEqualTo(PeerStatus.LOST);
    }

    /**
     * This is like a short life of the holder. The owner has accepted its connections, and has not reached it before it
     * ended.
     */
    @ParameterizedTest
    @EnumSource
    void aLockIsGrantedThoughItsOwnerNeverReachedItsHolder(LockAlgorithm algorithm) throws Exception {
        List<LockTable> tables = tables(algorithm);
        tables.get(3).lockAt(0);
        end(3);
        worlds.set(3, open(3));
        worlds.get(3).peers().awaitAll(SOON);
        worlds.get(3).lockTable("accounts").locks(SIZE).algorithm(algorithm).open().lockAt(2);
        await().atMost(SOON).until(() -> worlds.get(2).peers().snapshot().get(3).refusal() != null);
        end(3);
        try (Acquisition granted = tables.get(1).tryLockAt(2, SOON)) {
            assertThat(granted).isNotNull();
        }
    }

    @Test
    void epochsGoOnWhenRanksHaveEndedOneOfThemPinned() {
        List<EpochManager> epochs = worlds.stream().map(World::epochs).toList();
        epochs.forEach(each -> each.pin().unpin());
        epochs.get(2).pin();
        end(3);
        end(2);
        Token token = epochs.get(1).register();
        token.pin();
        token.retire(new GlobalPointer(1, worlds.get(1).participant().heap().allocate(1, Long.BYTES)));
        token.unpin();
        await().pollInSameThread().atMost(SOON).until(() -> token.tryReclaim() > 0);
    }

    @Test
    void aRankThatIsThereAgainIsNotTakenForOneThatHasEnded() throws Exception {
        end(2);
        Liveness liveness = worlds.getFirst().peers();
        assertThat(liveness.isFenced(2, Liveness.EVERY_INCARNATION, 1)).isTrue();
        assertThat(liveness.isFenced(2, Liveness.EVERY_INCARNATION, 3)).isTrue();
        assertThat(liveness.isFenced(3, Liveness.EVERY_INCARNATION, 1)).isFalse();
        worlds.set(2, open(2));
        worlds.get(2).peers().awaitAll(SOON);
        worlds.getFirst().peers().awaitAll(SOON);
        assertThat(liveness.isFenced(2, Liveness.EVERY_INCARNATION, 1)).isFalse();
        assertThat(liveness.isFenced(2, 1, 1)).isTrue();
    }
}
