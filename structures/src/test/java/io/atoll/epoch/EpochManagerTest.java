package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.epoch.observation.EpochSnapshot;
import io.atoll.epoch.words.Bag;
import io.atoll.epoch.words.EpochBlock;
import io.atoll.failure.FabricException;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two ranks over shared memory; {@link EpochSimulationTest} has what goes on at the same time. */
class EpochManagerTest {

    private static final long OBJECT_BYTES = 64;

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();
    private Heap heap;
    private EpochManager epochs;
    private EpochManager peer;

    private World open(int rank) {
        World world = World.named("epochs")
                .size(2)
                .rank(rank)
                .segment(8 << 20)
                .fabric(Fabrics.sharedMemory(folder, true))
                .open();
        worlds.add(world);
        return world;
    }

    private static EpochManager manager(World world, EpochSettings settings) {
        return new EpochManager(world::participant, settings);
    }

    @BeforeEach
    void open() {
        World first = open(0);
        World second = open(1);
        epochs = manager(first, EpochSettings.DEFAULT.tokens(4));
        peer = manager(second, EpochSettings.DEFAULT.tokens(4));
        heap = first.participant().heap();
    }

    @AfterEach
    void leave() {
        epochs.close();
        peer.close();
        worlds.forEach(World::close);
    }

    private GlobalPointer object(int rank) {
        return heap.allocatePointer(rank, OBJECT_BYTES);
    }

    private long objects(int rank) {
        return heap.usage(rank).objects();
    }

    /** Retires so many objects of both ranks, and leaves them to be freed. */
    private void retire(Token token, int count) {
        try (Pin _ = token.pin()) {
            for (int number = 0; number < count; number++) {
                token.retire(object(number % 2).toWord(), OBJECT_BYTES);
            }
        }
    }

    private static EpochSnapshot.Owned owned(int rank, long objects) {
        return new EpochSnapshot.Owned(rank, objects, objects * OBJECT_BYTES);
    }

    /** On another thread, which ends. */
    private static <T> T elsewhere(Callable<T> action) throws Exception {
        var task = new FutureTask<>(action);
        Thread thread = Thread.ofPlatform().start(task);
        thread.join();
        return task.get();
    }

    @Test
    void aRetiredObjectIsFreedTwoEpochsLater() {
        GlobalPointer object = object(1);
        long before = objects(1);
        try (Token token = epochs.register()) {
            try (Pin _ = token.pin()) {
                token.retire(object);
            }
            assertThat(token.tryReclaim()).as("the epoch after that of the seal").isZero();
            assertThat(objects(1)).isEqualTo(before);
            assertThat(token.tryReclaim()).isOne();
            assertThat(objects(1)).isEqualTo(before - 1);
        }
    }

    @Test
    void nothingIsFreedWhileATokenIsPinnedThatWasPinnedBefore() throws Exception {
        Token reader = peer.register();
        Pin _ = reader.pin();
        try (Token token = epochs.register()) {
            retire(token, 1);
            for (int attempt = 0; attempt < 5; attempt++) {
                assertThat(token.tryReclaim()).isZero();
            }
            reader.unpin();
            assertThat(token.tryReclaim()).isOne();
        }
        reader.unregister();
    }

    @Test
    void pinsNestAndTheLastOneToBeUndoneCounts() {
        try (Token reader = peer.register(); Token token = epochs.register()) {
            reader.pin();
            reader.pin();
            retire(token, 1);
            reader.unpin();
            assertThat(reader.isPinned()).isTrue();
            assertThat(epochs.tryReclaim() + token.tryReclaim() + token.tryReclaim()).isZero();
            reader.unpin();
            assertThat(reader.isPinned()).isFalse();
            token.tryReclaim();
            assertThat(token.tryReclaim()).isOne();
        }
    }

    @Test
    void manyObjectsOfAllRanksAreFreedAndTheirBagsWithThem() {
        long before = objects(0) + objects(1);
        try (Token token = epochs.register()) {
            retire(token, 10_000);
            assertThat(epochs.snapshot().ranks().getFirst().limbo()).singleElement()
                    .satisfies(limbo -> {
                        assertThat(limbo.objects()).isEqualTo(10_000 / Bag.CAPACITY * Bag.CAPACITY);
                        assertThat(limbo.bytes()).isEqualTo(limbo.objects() * OBJECT_BYTES);
                        assertThat(limbo.owned()).containsExactly(owned(0, limbo.objects() / 2),
                                owned(1, limbo.objects() / 2));
                    });
        }
        assertThat(epochs.clear()).isEqualTo(10_000);
        assertThat(objects(0) + objects(1)).isEqualTo(before);
    }

    @Test
    void memoryStaysBoundedHoweverMuchIsRetired() {
        try (Token token = epochs.register()) {
            for (int round = 0; round < 200; round++) {
                retire(token, 1_000);
                token.tryReclaim();
            }
        }
        assertThat(epochs.clear()).isLessThan(4_000);
        EpochSnapshot.Rank own = epochs.snapshot().ranks().getFirst();
        assertThat(own.retired()).isEqualTo(200_000);
        assertThat(own.freed()).isEqualTo(200_000);
        assertThat(own.freedBytes()).isEqualTo(200_000 * OBJECT_BYTES);
        assertThat(own.lost()).isZero();
    }

    @Test
    void useOfAnUnpinnedTokenIsRefused() {
        try (Token token = epochs.register()) {
            assertThatIllegalStateException().isThrownBy(() -> token.retire(new GlobalPointer(0, 64)))
                    .withMessageContaining("not pinned");
            assertThatIllegalStateException().isThrownBy(token::unpin).withMessageContaining("not pinned");
        }
    }

    @Test
    void anotherThreadsTokenIsRefused() throws Exception {
        Token foreign = elsewhere(epochs::register);
        for (Runnable use : List.<Runnable>of(foreign::pin, foreign::unpin, foreign::tryReclaim, foreign::unregister)) {
            assertThatIllegalStateException().isThrownBy(use::run)
                    .withMessageContaining("belongs to the thread")
                    .withMessageContaining("caller=" + Thread.currentThread().getName());
        }
    }

    @Test
    void anotherManagersTokenIsRefused() {
        try (Token token = peer.register()) {
            assertThatIllegalArgumentException().isThrownBy(() -> epochs.refuseForeign(token))
                    .withMessageContaining("token=");
            peer.refuseForeign(token);
        }
    }

    @Test
    void anUnregisteredTokenIsRefusedAndAPinnedOneIsNotUnregistered() {
        Token token = epochs.register();
        token.pin();
        assertThatIllegalStateException().isThrownBy(token::unregister).withMessageContaining("pins=1");
        token.unpin();
        token.unregister();
        token.close();
        assertThatIllegalStateException().isThrownBy(token::pin).withMessageContaining("unregistered");
        assertThatIllegalStateException().isThrownBy(token::unregister);
    }

    @Test
    void nothingIsNoObject() {
        try (Token token = epochs.register(); Pin _ = token.pin()) {
            assertThatIllegalArgumentException().isThrownBy(() -> token.retire(GlobalPointer.NULL))
                    .withMessageContaining("pointer=0");
        }
    }

    @Test
    void aFullTableNamesItsSizeAndTokensOfEndedThreadsMakeRoom() throws Exception {
        List<Token> tokens = new ArrayList<>();
        for (int number = 0; number < 3; number++) {
            tokens.add(epochs.register());
        }
        Token abandoned = elsewhere(() -> {
            Token token = epochs.register();
            retire(token, 5);
            token.pin();
            return token;
        });
        assertThat(abandoned.isPinned()).isTrue();
        tokens.add(epochs.register());
        assertThatIllegalStateException().isThrownBy(epochs::register).withMessageContaining("tokens=4");
        tokens.getFirst().unregister();
        tokens.set(0, epochs.register());
        tokens.forEach(Token::close);
        assertThat(epochs.clear()).as("what the thread that ended had retired").isEqualTo(5);
    }

    @Test
    void aThreadThatEndedWhileItWasPinnedHoldsNothingUp() throws Exception {
        elsewhere(() -> epochs.register().pin());
        epochs.tryReclaim();
        try (Token token = epochs.register()) {
            retire(token, 1);
            assertThat(token.tryReclaim() + token.tryReclaim() + token.tryReclaim()).isOne();
        }
    }

    @Test
    void aTokenThatCouldNotBeGivenUpIsGivenUpLater() throws Exception {
        for (int number = 0; number < 4; number++) {
            elsewhere(() -> {
                Token token = peer.register();
                retire(token, 5);
                return token;
            });
        }
        worlds.getFirst().close();
        await().until(() -> worlds.get(1).peers().missing().contains(0));
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatExceptionOfType(FabricException.class).isThrownBy(peer::register);
        }
        open(0);
        await().until(() -> worlds.get(1).peers().missing().isEmpty());
        peer.register().unregister();
        assertThat(peer.clear()).isEqualTo(20);
    }

    @Test
    void whatNobodyAskedForFailsNobody() throws Exception {
        EpochManager eager = manager(worlds.get(1), EpochSettings.DEFAULT.tokens(4).reclaimEvery(5));
        try (Token token = eager.register()) {
            retire(token, 4);
            worlds.getFirst().close();
            await().until(() -> worlds.get(1).peers().missing().contains(0));
            GlobalPointer object = worlds.get(1).participant().heap().allocatePointer(1, OBJECT_BYTES);
            try (Pin _ = token.pin()) {
                token.retire(object);
            }
            open(0);
            await().until(() -> worlds.get(1).peers().missing().isEmpty());
        }
        assertThat(eager.clear()).isEqualTo(5);
    }

    @Test
    void aThreadHasATokenOfItsOwnWithoutAsking() throws Exception {
        Token token = epochs.token();
        assertThat(epochs.token()).isSameAs(token);
        assertThat(elsewhere(() -> epochs.token() != token)).isTrue();
    }

    @Test
    void everythingIsFreedOnlyWhileNobodyIsPinned() {
        try (Token token = epochs.register(); Token reader = peer.register()) {
            retire(token, 3);
            reader.pin();
            assertThatIllegalStateException().isThrownBy(() -> {
                epochs.clear();
                epochs.clear();
            }).withMessageContaining("rank=1").withMessageContaining(Thread.currentThread().getName());
            reader.unpin();
            assertThat(epochs.clear()).isEqualTo(3);
            assertThat(epochs.clear()).isZero();
        }
    }

    @Test
    void allRanksFreeEverythingAtOnce() throws Exception {
        for (int round = 0; round < 100; round++) {
            try (Token token = epochs.register(); Token other = peer.register()) {
                retire(token, 70);
                retire(other, 70);
            }
            var ofPeer = new FutureTask<>(peer::clear);
            Thread thread = Thread.ofPlatform().start(ofPeer);
            assertThat(epochs.clear()).isEqualTo(70);
            thread.join();
            assertThat(ofPeer.get()).isEqualTo(70);
        }
    }

    /** As it is left by an advancer that died in between; and rank 1 is pinned all the time, by one token or the other. */
    @Test
    void anAdvancerThatDiedBetweenTheEpochAndTheCachesStopsNobody() {
        epochs.tryReclaim();
        long[] blocks = worlds.getFirst()
                .participant()
                .directory()
                .open("epochs", "epochs tokens=4",
                        any -> EpochBlock.bytes(4, 2));
        long before = epochs.snapshot().epoch();
        worlds.getFirst().participant().endpoint().getAndAdd(0, blocks[0] + EpochBlock.EPOCH, 1);
        try (Token one = peer.register(); Token two = peer.register()) {
            one.pin();
            for (int turn = 0; turn < 10; turn++) {
                Token next = one.isPinned() ? two : one;
                Token last = one.isPinned() ? one : two;
                next.pin();
                last.unpin();
                epochs.tryReclaim();
            }
            (one.isPinned() ? one : two).unpin();
        }
        assertThat(epochs.snapshot().epoch()).isGreaterThan(before + 3);
    }

    @Test
    void aTokenReclaimsByItselfIfItIsToldTo() {
        EpochManager eager = manager(worlds.getFirst(), EpochSettings.DEFAULT.tokens(4).reclaimEvery(10));
        try (Token token = eager.register()) {
            for (int round = 0; round < 10; round++) {
                retire(token, 10);
            }
        }
        assertThat(eager.snapshot().ranks().getFirst().freed()).isGreaterThanOrEqualTo(70);
    }

    @Test
    void aThreadReclaimsFromTimeToTimeIfItIsToldTo() {
        EpochManager punctual = manager(worlds.getFirst(),
                EpochSettings.DEFAULT.tokens(4).reclaimInterval(Duration.ofMillis(1)));
        try (Token token = punctual.register()) {
            retire(token, Bag.CAPACITY);
        }
        await().untilAsserted(() -> assertThat(punctual.snapshot().ranks().getFirst().freed())
                .isEqualTo(Bag.CAPACITY));
        punctual.close();
    }

    @Test
    void theTokenThatBlocksIsNamed() {
        try (Token reader = peer.register(); Token token = epochs.register()) {
            reader.pin();
            token.tryReclaim();
            token.tryReclaim();
            assertThat(epochs.snapshot().ranks().get(1).tokens()).singleElement().satisfies(state -> {
                assertThat(state.rank()).isOne();
                assertThat(state.thread()).isEqualTo(Thread.currentThread().getName());
                assertThat(state.pinned()).isTrue();
                assertThat(state.blocks()).isTrue();
            });
            await().untilAsserted(() -> assertThat(epochs.snapshot().pinnedLongerThan(Duration.ofMillis(20)))
                    .singleElement()
                    .extracting(EpochSnapshot.TokenState::rank)
                    .isEqualTo(1));
            reader.unpin();
            assertThat(epochs.snapshot().pinnedLongerThan(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void theNextIncarnationFreesWhatTheOneBeforeHadRetired() {
        Token token = peer.register();
        Token other = peer.register();
        retire(token, 100);
        retire(other, 5);
        other.pin();
        epochs.snapshot();
        worlds.get(1).close();

        assertThat(epochs.clear()).as("its tokens do not count").isZero();
        await().until(() -> worlds.getFirst().peers().missing().contains(1));
        EpochSnapshot meanwhile = epochs.snapshot();
        assertThat(meanwhile.stranded()).as("what was in limbo when it was seen last").isEqualTo(60);
        assertThat(meanwhile.ranks().get(1)).satisfies(gone -> {
            assertThat(gone.present()).isFalse();
            assertThat(gone.tokens()).isEmpty();
        });

        World again = open(1);
        EpochManager successor = manager(again, EpochSettings.DEFAULT.tokens(4));
        successor.tryReclaim();
        await().until(() -> worlds.getFirst().peers().missing().isEmpty());
        assertThat(epochs.snapshot().stranded()).isZero();
        assertThat(successor.snapshot().ranks().get(1).limbo()).as("counted anew, with what was in open bags")
                .flatExtracting(EpochSnapshot.Limbo::owned)
                .containsExactly(owned(0, 53), owned(1, 52));
        assertThat(successor.clear()).isEqualTo(105);
    }

    @Test
    void objectsWhoseOwnerIsAwayStayInLimboWithTheirSizes() {
        try (Token token = epochs.register()) {
            retire(token, 200);
            token.tryReclaim();
            worlds.get(1).close();
            await().until(() -> worlds.getFirst().peers().missing().contains(1));
            long freed = 0;
            while (freed < 100) {
                freed += token.tryReclaim();
            }
            assertThat(epochs.snapshot().ranks().getFirst()).satisfies(own -> {
                assertThat(own.limbo()).flatExtracting(EpochSnapshot.Limbo::owned).containsExactly(owned(1, 100));
                assertThat(own.freedBytes()).isEqualTo(100 * OBJECT_BYTES);
                assertThat(own.lost()).isZero();
            });
        }
        open(1);
        await().until(() -> worlds.getFirst().peers().missing().isEmpty());
        assertThat(epochs.clear()).isEqualTo(100);
        assertThat(epochs.snapshot().ranks().getFirst().freedBytes()).isEqualTo(200 * OBJECT_BYTES);
    }

    /** All processes end; one rank's segment is gone when they come back. */
    private void loseSegment(int rank) throws IOException {
        worlds.forEach(World::close);
        worlds.clear();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(file -> file.toString().endsWith("-" + rank + ".segment")).toList()) {
                Files.delete(file);
            }
        }
        open();
    }

    @Test
    void whatWasRetiredOfALostSegmentIsNotFreedInTheOneMadeAnew() throws Exception {
        try (Token token = epochs.register()) {
            retire(token, 100);
        }
        loseSegment(1);
        // In the places of those that are in limbo.
        for (int number = 0; number < 100; number++) {
            object(1);
        }
        assertThat(epochs.clear()).as("those of rank 0").isEqualTo(50);
        assertThat(objects(1)).isGreaterThanOrEqualTo(100);
        EpochSnapshot.Rank own = epochs.snapshot().ranks().getFirst();
        assertThat(own.lost()).isEqualTo(50);
        assertThat(own.limbo()).isEmpty();
        try (Token token = epochs.register()) {
            retire(token, 100);
        }
        assertThat(epochs.clear()).as("what is retired of the new one").isEqualTo(100);
    }

    @Test
    void epochsAreCountedAnewWhereTheirHomeIsLost() throws Exception {
        for (int turn = 0; turn < 50; turn++) {
            epochs.tryReclaim();
        }
        try (Token token = peer.register()) {
            retire(token, 100);
        }
        loseSegment(0);
        try (Token token = peer.register(); Token reader = epochs.register()) {
            reader.pin();
            retire(token, 70);
            for (int turn = 0; turn < 5; turn++) {
                assertThat(token.tryReclaim()).as("what was unlinked after the reader was pinned")
                        .isLessThanOrEqualTo(0);
            }
            reader.unpin();
        }
        assertThat(peer.clear()).as("50 of rank 1, and those of now").isEqualTo(120);
        EpochSnapshot snapshot = peer.snapshot();
        assertThat(snapshot.epoch()).isLessThan(20);
        assertThat(snapshot.ranks()).extracting(EpochSnapshot.Rank::cachedEpoch).containsOnly(snapshot.epoch());
        assertThat(snapshot.ranks().get(1).lost()).isEqualTo(50);
    }

    @Test
    void objectsOfARankThatIsNotThereWaitForIt() {
        try (Token token = epochs.register()) {
            retire(token, 100);
        }
        worlds.get(1).close();
        await().until(() -> worlds.getFirst().peers().missing().contains(1));
        assertThat(epochs.clear()).as("those of rank 0").isEqualTo(50);
        EpochSnapshot.Rank own = epochs.snapshot().ranks().getFirst();
        assertThat(own.lost()).isZero();
        assertThat(own.limbo()).singleElement().extracting(EpochSnapshot.Limbo::objects).isEqualTo(50L);

        World again = open(1);
        await().until(() -> worlds.getFirst().peers().missing().isEmpty());
        assertThat(again.participant().heap().usage(1).objects()).isGreaterThanOrEqualTo(50);
        assertThat(epochs.clear()).isEqualTo(50);
    }
}
