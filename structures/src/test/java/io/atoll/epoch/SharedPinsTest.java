package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SharedPinsTest extends TwoRankEpochs {

    @Test
    void whatAnOperationMayUseIsNotFreedBeforeItEnds() throws Exception {
        var pins = new SharedPins(peer);
        SharedPins.Shared operation = pins.begin();
        SharedPins.Shared other = pins.begin();
        try (Token token = epochs.register()) {
            retire(token, 1);
            pins.end(other);
            for (int attempt = 0; attempt < 5; attempt++) {
                assertThat(token.tryReclaim()).isZero();
            }
            pins.end(operation);
            assertThat(token.tryReclaim()).isOne();
        }
        pins.close();
    }

    /** Returns as soon as one operation could begin, which no operation can while the stack is nearly full. */
    private static SharedPins.Shared beginWhereTheStackEnds(SharedPins pins, AtomicInteger failed) {
        try {
            return beginWhereTheStackEnds(pins, failed);
        } catch (StackOverflowError full) {
            try {
                return pins.begin();
            } catch (StackOverflowError again) {
                failed.incrementAndGet();
                throw again;
            }
        }
    }

    @Test
    void anOperationThatHasNoRoomToBeginTakesNoToken() {
        var pins = new SharedPins(peer);
        pins.end(pins.begin());
        int registered = registered();
        var failed = new AtomicInteger();
        pins.end(beginWhereTheStackEnds(pins, failed));
        assertThat(failed.get()).isPositive();
        assertThat(registered()).isEqualTo(registered);
        pins.close();
    }

    private int registered() {
        return peer.snapshot().ranks().get(1).tokens().size();
    }

    @Test
    void nothingIsGivenBackToAWorldThatThisProcessHasLeft() {
        var pins = new SharedPins(peer);
        SharedPins.Shared operation = pins.begin();
        pins.end(pins.begin());
        pins.end(operation);
        SharedPins.Shared unfinished = pins.begin();
        SharedPins others = new SharedPins(peer);
        others.end(others.begin());
        peer.close();
        worlds.removeLast().close();
        pins.end(unfinished);
        pins.close();
        others.close();
        assertThat(pins.isEmpty()).isTrue();
    }

    @Test
    void anOperationOfANewLifeIsPinnedByATokenOfThatLife() throws Exception {
        var pins = new SharedPins(peer);
        SharedPins.Shared former = pins.begin();
        peer.beginAnew();
        SharedPins.Shared operation = pins.begin();
        assertThat(operation).isNotSameAs(former);
        pins.end(former);
        try (Token token = epochs.register()) {
            retire(token, 1);
            for (int attempt = 0; attempt < 5; attempt++) {
                assertThat(token.tryReclaim()).isZero();
            }
            pins.end(operation);
            assertThat(token.tryReclaim()).isOne();
        }
        pins.close();
    }
}
