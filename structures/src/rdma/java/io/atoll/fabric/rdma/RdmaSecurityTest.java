package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.link.Secret;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that ranks that know a secret let in only each other. */
@NeedsRdmaDevice
@Timeout(240)
class RdmaSecurityTest {

    private static final WorldIdentity WORLD = new WorldIdentity("verbs-security", 2);
    private static final long SEGMENT_BYTES = 64 << 10;
    private static final long WORD = SegmentHeader.size(WORLD.maxSize());
    private static final int FIRST_PORT = 18_525;
    private static final List<Secret> NONE = List.of();
    private static final Secret OLD = Secret.of("an old secret that is long enough to be one");
    private static final Secret NEW = Secret.of("a new secret that is just as long as needed");

    @TempDir
    private Path folder;

    private Rdma verbs(List<Secret> secrets) {
        return new Rdma(Fabrics.sharedMemory(folder, false)).secrets(secrets);
    }

    private static Attachment attach(Rdma rdma, int rank) {
        return rdma.attach(WORLD, OptionalInt.of(rank), SEGMENT_BYTES);
    }

    /** The actions of two ranks. */
    private interface Body {
        void run(Attachment zero, Attachment one);
    }

    private void between(List<Secret> zero, List<Secret> one, Body body) {
        try (Attachment first = attach(verbs(zero), 0); Attachment second = attach(verbs(one), 1)) {
            first.connect(1, 1, second.address());
            second.connect(0, 1, first.address());
            body.run(first, second);
        }
    }

    private void reachEachOther(List<Secret> zero, List<Secret> one) {
        between(zero, one, (first, second) -> {
            assertThat(first.fabric().getAndAdd(1, WORD, 5)).isZero();
            assertThat(second.fabric().getAndAdd(0, WORD, 7)).isZero();
            assertThat(first.fabric().readWord(1, WORD)).isEqualTo(5);
        });
    }

    private void refuseEachOther(List<Secret> zero, List<Secret> one) {
        between(zero, one, (first, second) -> {
            for (Attachment each : List.of(first, second)) {
                assertThatExceptionOfType(RankUnreachableException.class)
                        .isThrownBy(() -> each.fabric().getAndAdd(1 - each.fabric().rank(), WORD, 5))
                        .withMessageContaining("do not know the same secret, give all processes of the world the same");
                assertThat(each.fabric().local().getVolatile(WORD)).isZero();
            }
        });
    }

    @Test
    void ranksThatKnowTheSameSecretReachEachOther() {
        reachEachOther(List.of(NEW), List.of(NEW));
    }

    @Test
    void aRankWithoutASecretAndOneWithASecretRefuseEachOther() {
        refuseEachOther(List.of(NEW), NONE);
    }

    @Test
    void ranksThatKnowOtherSecretsRefuseEachOther() {
        refuseEachOther(List.of(OLD), List.of(NEW));
    }

    /** This makes guessing slow. */
    @Test
    void aRankWhoseProofWasWrongWaitsASecondForTheNextAnswer() {
        between(List.of(OLD), List.of(NEW), (first, second) -> {
            long startNanos = System.nanoTime();
            for (int attempt = 0; attempt < 3; attempt++) {
                assertThatExceptionOfType(RankUnreachableException.class)
                        .isThrownBy(() -> first.fabric().readWord(1, WORD))
                        .withMessageContaining("do not know the same secret");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isGreaterThan(Duration.ofSeconds(2));
        });
    }

    @Test
    void aSecretIsChangedRankByRank() {
        reachEachOther(List.of(NEW, OLD), List.of(OLD));
        reachEachOther(List.of(NEW, OLD), List.of(NEW));
    }

    @Test
    void ranksOfAListAskEachOtherByTheSecret(@TempDir Path elsewhere) {
        List<InetSocketAddress> addresses = IntStream.range(FIRST_PORT, FIRST_PORT + 2)
                .mapToObj(port -> new InetSocketAddress(RdmaDevice.address(), port))
                .toList();
        Rdma there = new Rdma(Fabrics.sharedMemory(elsewhere, false)).secrets(List.of(OLD, NEW)).at(addresses);
        try (Attachment zero = attach(verbs(List.of(NEW)).at(addresses), 0); Attachment one = attach(there, 1)) {
            await().atMost(Duration.ofSeconds(120)).until(() -> zero.presence(1).state() == State.PRESENT);
            assertThat(zero.presence(1).incarnation()).isEqualTo(one.incarnation());
        }
        Rdma stranger = new Rdma(Fabrics.sharedMemory(elsewhere, false)).at(addresses);
        try (Attachment zero = attach(verbs(List.of(NEW)).at(addresses), 0); Attachment one = attach(stranger, 1)) {
            await().atMost(Duration.ofSeconds(120))
                    .untilAsserted(() -> assertThat(zero.proof(1, 1, one.address()).refusal())
                            .contains("do not know the same secret"));
            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> zero.connect(1, 1, one.address()))
                    .withMessageContaining("has not proved itself");
            assertThat(zero.presence(1).state()).isEqualTo(State.ABSENT);
        }
    }
}
