package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.failure.FabricException;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ranks are away for a while, and segments are lost. */
@Tag("slow")
class EpochOutageTest extends TwoRankEpochs {

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

    /**
     * The state is the one that an advancer leaves if it dies in between. Rank 1 is pinned all the time, by one token
     * or the other.
     */
    @Test
    void anAdvancerThatDiedBetweenTheEpochAndTheCachesStopsNobody() {
        epochs.tryReclaim();
        Participant self = worlds.getFirst().participant();
        long[] blocks = self.directory()
                .open("epochs", "epochs tokens=4", any -> EpochBlock.bytes(4, self.maxSize()), OnLoss.EMPTY);
        long before = epochs.snapshot().epoch();
        self.endpoint().getAndAdd(0, blocks[0] + EpochBlock.EPOCH, 1);
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

    /** All processes end. When they come back, the segment of one rank is gone. */
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
        // In the places of the objects that are in limbo.
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
