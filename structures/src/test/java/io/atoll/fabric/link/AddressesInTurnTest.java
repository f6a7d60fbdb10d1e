package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.fabric.Clock;
import io.atoll.fabric.link.ConnectRetry.NotMetException;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.RankUnreachableException;
import java.io.EOFException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests in which order the addresses of a name are tried, and what ends the attempts. */
class AddressesInTurnTest {

    private static final String[] THREE = {"192.0.2.1", "2001:db8::2", "192.0.2.3"};
    private static final PeerAddress RANK = new PeerAddress(1, 1, InetSocketAddress.createUnresolved("shop", 7420));
    private static final PeerAddress OTHER_RANK = new PeerAddress(0, 1, RANK.address());

    private final FakeNames names = new FakeNames().say("shop", THREE);
    private final AddressesInTurn addresses = names.inTurn(2);
    private final List<String> tried = new ArrayList<>();
    private final Set<String> dead = new HashSet<>();
    private final Set<String> ofAnotherWorld = new HashSet<>();
    private final AtomicBoolean hasTime = new AtomicBoolean(true);
    private final ConnectDeadline connectDeadline = ConnectDeadline.of(Clock.SYSTEM, Duration.ofDays(1))
            .asLongAs(hasTime::get);

    private String attempt(InetSocketAddress address) {
        String literal = address.getAddress().getHostAddress().replace("2001:db8:0:0:0:0:0:2", THREE[1]);
        tried.add(literal);
        if (ofAnotherWorld.contains(literal)) {
            throw new LayoutMismatchException("another world", "at=" + literal, 1);
        }
        if (dead.contains(literal)) {
            throw new RankUnreachableException("it does not answer", "at=" + literal, "read", 1, 64);
        }
        return literal + ":" + address.getPort();
    }

    private String connect(PeerAddress peerAddress) throws NotMetException {
        return addresses.connect(peerAddress, connectDeadline, "read", 64, this::attempt);
    }

    @Test
    void theNextAddressIsTriedWhereOneIsDeadOrOfAnotherWorld() throws NotMetException {
        dead.add(THREE[0]);
        ofAnotherWorld.add(THREE[1]);

        assertThat(connect(RANK)).isEqualTo("192.0.2.3:7420");
        assertThat(tried).containsExactly(THREE);
    }

    @Test
    void whereNobodyAnswersAsARankDoesTheAddressAndTheCauseAreNamed() {
        names.say("shop", "192.0.2.1");
        assertThatExceptionOfType(RankUnreachableException.class)
                .isThrownBy(() -> addresses.connect(RANK, connectDeadline, "read", 64, _ -> {
                    throw new EOFException("it hangs up");
                }))
                .withMessageContaining("cannot connect, see whether the rank runs and can be reached")
                .withMessageContaining("cause=[it hangs up] address=shop/192.0.2.1:7420")
                .withCauseInstanceOf(EOFException.class);
    }

    @Test
    void thatOneOfTheAddressesDoesNotAnswerIsTheCause() {
        dead.addAll(Set.of(THREE[0], THREE[2]));
        assertThatExceptionOfType(RankUnreachableException.class)
                .isThrownBy(() -> addresses.connect(RANK, connectDeadline, "read", 64, address -> {
                    attempt(address);
                    throw new SocketTimeoutException("no answer");
                }))
                .withMessageStartingWith("the rank is at none of the addresses of its name")
                .withCauseInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void theAddressThatLedToTheRankIsTriedFirstTheNextTime() throws NotMetException {
        dead.addAll(Set.of(THREE[0], THREE[1]));
        connect(RANK);
        tried.clear();

        connect(RANK);
        connect(OTHER_RANK);

        assertThat(tried).as("each rank has an address of its own")
                .containsExactly(THREE[2], THREE[0], THREE[1], THREE[2]);
    }

    @Test
    void theNextTimeBeginsAfterTheAddressThatUsedUpTheTime() throws NotMetException {
        dead.add(THREE[0]);
        hasTime.set(false);
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> connect(RANK))
                .withMessage("it does not answer: verb=read rank=1 offset=64 at=192.0.2.1");
        hasTime.set(true);

        connect(RANK);

        assertThat(tried).containsExactly(THREE[0], THREE[1]);
    }

    /**
     * Otherwise the dead first address would be tried again, and would use up the time once more. Other addresses may
     * answer "not met" in between.
     */
    @Test
    void aRankThatHasNotMetThisOneIsAskedAgainWhereItIs() throws NotMetException {
        dead.add(THREE[0]);
        AtomicBoolean isMet = new AtomicBoolean();

        assertThat(ConnectRetry.<String>persist(connectDeadline,
                () -> addresses.connect(RANK, connectDeadline, "read", 64, address -> {
                    String reached = attempt(address);
                    if (!isMet.getAndSet(true)) {
                        throw new NotMetException(new RankUnreachableException("not met", "read", 1, 64));
                    }
                    return reached;
                }))).isEqualTo("2001:db8::2:7420");

        assertThat(tried).containsExactly(THREE[0], THREE[1], THREE[1]);
    }

    @Test
    void eachAddressThatWasTriedIsNamedWithItsReason() {
        dead.addAll(Set.of(THREE[0], THREE[2]));
        ofAnotherWorld.add(THREE[1]);

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> connect(RANK))
                .withMessageStartingWith("the rank is at none of the addresses of its name")
                .withMessageEndingWith("tried=[it does not answer: at=192.0.2.1; another world: at=2001:db8::2;"
                        + " it does not answer: at=192.0.2.3]");
    }

    @Test
    void whatIsOfAnotherWorldAtEachAddressIsSaidToBe() {
        ofAnotherWorld.addAll(Set.of(THREE));

        assertThatExceptionOfType(LayoutMismatchException.class).isThrownBy(() -> connect(RANK));
        assertThat(tried).containsExactly(THREE);
    }

    @Test
    void aNameIsResolvedAnewEachTime() throws NotMetException {
        connect(RANK);
        names.say("shop", THREE[2], THREE[2]);
        dead.add(THREE[2]);

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> connect(RANK))
                .withMessageContaining("it does not answer");
        assertThat(tried).as("what is said twice is one address").containsExactly(THREE[0], THREE[2]);
    }

    @Test
    void aNameThatStandsForNothingIsRefused() {
        PeerAddress nowhere = new PeerAddress(1, 1, InetSocketAddress.createUnresolved("nowhere", 7420));

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> connect(nowhere))
                .withMessageContaining("there is no such host, correct the address of the rank")
                .withMessageContaining("host=nowhere");
    }
}
