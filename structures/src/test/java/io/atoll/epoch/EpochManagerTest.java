package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.atoll.memory.GlobalPointer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks what is freed, and when. {@link EpochSimulationTest} covers concurrent use. */
@Tag("slow")
class EpochManagerTest extends TwoRankEpochs {

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
    void manyObjectsOfAllRanksAreFreedAndTheirBagsWithThem() {
        long before = objects(0) + objects(1);
        try (Token token = epochs.register()) {
            retire(token, 7_000);
            assertThat(epochs.snapshot().ranks().getFirst().limbo()).singleElement()
                    .satisfies(limbo -> {
                        assertThat(limbo.objects()).isEqualTo(7_000 / Bag.CAPACITY * Bag.CAPACITY);
                        assertThat(limbo.bytes()).isEqualTo(limbo.objects() * OBJECT_BYTES);
                        assertThat(limbo.owned()).containsExactly(owned(0, limbo.objects() / 2),
                                owned(1, limbo.objects() / 2));
                    });
        }
        assertThat(epochs.clear()).isEqualTo(7_000);
        assertThat(objects(0) + objects(1)).isEqualTo(before);
    }

    @Test
    void muchThatIsRetiredIsFreedWithoutBeingAskedFor() {
        long before = objects(0) + objects(1);
        try (Token token = epochs.register()) {
            for (int round = 0; round < 100; round++) {
                retire(token, 1_000);
            }
            assertThat(objects(0) + objects(1)).as("objects and bags").isLessThan(before + 12_000);
        }
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
    void aPinIsNotTakenForThatOfTheTokenThatHadThePlaceBefore() {
        for (int registration = 0; registration < 3; registration++) {
            try (Token token = epochs.register(); Pin _ = token.pin()) {
                assertThat(peer.snapshot().ranks().getFirst().tokens()).filteredOn(EpochSnapshot.TokenState::pinned)
                        .singleElement()
                        .extracting(EpochSnapshot.TokenState::age)
                        .as("age at the first look")
                        .isEqualTo(Duration.ZERO);
            }
        }
    }

    @Test
    void aRankThatIsLeftOutIsShownAsItWasSeenLast() {
        assertThat(epochs.snapshot().ranks()).extracting(EpochSnapshot.Rank::present).containsExactly(true, true);
        List<Integer> asked = new ArrayList<>();
        assertThat(epochs.snapshot(rank -> {
            asked.add(rank);
            return rank == 0;
        })).hasValueSatisfying(seen -> assertThat(seen.ranks()).extracting(EpochSnapshot.Rank::present)
                .containsExactly(true, false));
        assertThat(asked).as("the rank of the epoch has a part of its own, too").containsExactly(0, 0, 1);
        assertThat(epochs.snapshot(rank -> rank == 1)).as("without the epoch").isEmpty();
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

    /** Other threads that retire the same run may be pinned since this epoch. */
    @Test
    void aRunIsRetiredAsOneOfTheNextEpoch() {
        List<Long> told = new ArrayList<>();
        epochs.retireRuns(1, told::add);
        assertThat(told).containsExactly(epochs.snapshot().epoch() + 1);
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
}
