package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.BlockedLogger;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the order in which connections are revoked, accepted and noted as shut out. */
class AccessControlTest {

    private static final WorldIdentity WORLD = new WorldIdentity("access", 3);
    private static final int OWNER = 1;

    private final MappedMemory segment = new MappedMemory(
            Arena.ofAuto().allocate(SegmentHeader.size(WORLD.maxSize()), Layouts.CACHE_LINE));
    private final List<String> events = new ArrayList<>();
    private final AccessControl<String> accessControl = new AccessControl<>(WORLD, OWNER, 1, segment,
            connection -> events.add("revoked " + connection + ", fenced up to " + fenced()));

    private int attempts;

    @BeforeEach
    void meet() throws IOException {
        accessControl.meet(2, 1);
    }

    private long fenced() {
        return segment.getAcquire(SegmentHeader.fencedWord(2));
    }

    private boolean asks(String connection, int incarnation, int lane) {
        return asks(connection, incarnation, lane, ++attempts);
    }

    private boolean asks(String connection, int incarnation, int lane, int attempt) {
        return answer(connection, new ConnectRequest(WORLD, 2, OWNER, incarnation, 1, lane, attempt));
    }

    private boolean answer(String connection, ConnectRequest asked) {
        try {
            return accessControl.answer(asked, new AccessControl.Reply<>() {
                @Override
                public String accept(ConnectRequest connectRequest) {
                    events.add("accepted " + connection);
                    return connection;
                }

                @Override
                public void refuse(Refusal refusal, RefusalDetails refusalDetails) {
                    events.add("refused " + connection + ": " + refusal);
                }
            });
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    @Test
    void aConnectionIsRevokedBeforeTheOneThatReplacesItIsAccepted() throws IOException {
        assertThat(asks("first", 1, 0)).isTrue();
        assertThat(asks("beside", 1, 1)).isTrue();
        assertThat(asks("second", 1, 0)).isTrue();
        assertThat(events).containsExactly("accepted first", "accepted beside", "revoked first, fenced up to 0",
                "accepted second");
    }

    /** A network may deliver a handshake late, long after its caller has tried again. */
    @Test
    void aRequestThatItsRankHasGivenUpDoesNotEndTheConnectionOfALaterOne() throws IOException {
        assertThat(asks("later", 1, 0, 7)).isTrue();
        assertThat(asks("abandoned", 1, 0, 6)).isFalse();
        assertThat(events).containsExactly("accepted later", "refused abandoned: ABANDONED");
        assertThat(asks("beside", 1, 1, 6)).as("of another lane").isTrue();
        assertThat(asks("next", 1, 0, 8)).isTrue();
        assertThat(events).endsWith("revoked later, fenced up to 0", "accepted next");
    }

    @Test
    void attemptsAreCountedFurtherWhereTheirNumberWrapsAround() throws IOException {
        assertThat(asks("before", 1, 0, Integer.MAX_VALUE)).isTrue();
        assertThat(asks("after", 1, 0, Integer.MIN_VALUE)).isTrue();
        assertThat(asks("abandoned", 1, 0, Integer.MAX_VALUE)).isFalse();
    }

    /** The rank no longer uses the connection that this request would replace. */
    @Test
    void aRequestThatItsRankHasGivenUpIsLetInWhereTheLaterConnectionHasEnded() throws IOException {
        asks("later", 1, 0, 7);
        accessControl.forget("later");
        assertThat(asks("abandoned", 1, 0, 6)).isTrue();
        assertThat(asks("next", 1, 0, 8)).isTrue();
        assertThat(events).containsExactly("accepted later", "accepted abandoned", "revoked abandoned, fenced up to 0",
                "accepted next");
    }

    /** The rank is asked in turn: it may have just been started. */
    @Test
    void aRankThatOnlyAsksIsToldOfAndAStrangerIsNot() {
        accessControl.whenAsked((rank, incarnation) -> events.add("asked by " + rank + " in life " + incarnation));
        answer("rank", new ConnectRequest(WORLD, 2, OWNER, 3, Handshake.ANY_INCARNATION, 0, 1));
        answer("stranger", new ConnectRequest(WORLD, WORLD.size(), OWNER, 3, Handshake.ANY_INCARNATION, 0, 1));
        answer("late", new ConnectRequest(WORLD, 2, OWNER, 3, 77, 0, 1));
        assertThat(events).containsExactly("refused rank: OTHER_INCARNATION", "asked by 2 in life 3",
                "refused stranger: OTHER_INCARNATION", "refused late: OTHER_INCARNATION");
    }

    @Test
    void aFenceIsNotedAfterTheLastConnectionWasRevoked() throws IOException {
        asks("a", 1, 0);
        asks("b", 1, 1);
        accessControl.fenceUpTo(2, 1);
        assertThat(events.subList(2, 4)).containsExactlyInAnyOrder("revoked a, fenced up to 0",
                "revoked b, fenced up to 0");
        assertThat(fenced()).isEqualTo(1);
        assertThat(asks("late", 1, 0)).isFalse();
        assertThat(events.getLast()).isEqualTo("refused late: FENCED");
    }

    @Test
    void aRankThatIsMetAgainShutsOutItsFormerIncarnations() throws IOException {
        asks("former", 1, 0);
        accessControl.meet(2, 2);
        assertThat(events.getLast()).isEqualTo("revoked former, fenced up to 0");
        assertThat(fenced()).isEqualTo(1);
        assertThat(asks("next", 2, 0)).isTrue();
    }

    @Test
    void anOwnerThatIsWithdrawnRevokesAllAndLetsNobodyIn() throws IOException {
        asks("a", 1, 0);
        accessControl.withdraw();
        assertThat(asks("b", 1, 0)).isFalse();
        assertThat(events).containsExactly("accepted a", "revoked a, fenced up to 0", "refused b: NOBODY");
    }

    @Test
    void aConnectionThatHasEndedIsRevokedOnce() throws IOException {
        asks("a", 1, 0);
        accessControl.revoke("a");
        accessControl.revoke("a");
        accessControl.fenceUpTo(2, 1);
        assertThat(events).containsExactly("accepted a", "revoked a, fenced up to 0");
    }

    @Test
    @Timeout(60)
    void aFenceDoesNotWaitForALogger() throws Exception {
        asks("a", 1, 0);
        ConnectRequest another = new ConnectRequest(WORLD, 2, OWNER, 1, 77, 0, 1);
        try (BlockedLogger logger = new BlockedLogger(AccessControl.class, "targetIncarnation=77")) {
            Thread refused = Thread.ofPlatform().daemon().start(() -> assertThat(answer("b", another)).isFalse());
            logger.awaitThread();
            FutureTask<Boolean> fence = new FutureTask<>(() -> {
                accessControl.fenceUpTo(2, 1);
                return true;
            });
            Thread.ofPlatform().daemon().start(fence);
            assertThat(fence.get(30, TimeUnit.SECONDS)).isTrue();
            assertThat(fenced()).isEqualTo(1);
            logger.release();
            refused.join();
        }
    }

    @Test
    void aRankIsNotNotedAsShutOutWhileItsConnectionCannotBeRevoked() throws IOException {
        AccessControl<String> stuck = new AccessControl<>(WORLD, OWNER, 1, segment, _ -> {
            throw new IOException("stuck");
        });
        stuck.answer(new ConnectRequest(WORLD, 2, OWNER, 1, 1, 0, 1), new AccessControl.Reply<>() {
            @Override
            public String accept(ConnectRequest connectRequest) {
                return "a";
            }

            @Override
            public void refuse(Refusal refusal, RefusalDetails refusalDetails) {
                throw new AssertionError(refusal);
            }
        });
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> stuck.fenceUpTo(2, 1)).isInstanceOf(IOException.class);
            assertThat(fenced()).isZero();
        }
    }
}
