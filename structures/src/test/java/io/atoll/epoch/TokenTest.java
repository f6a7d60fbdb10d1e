package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.atoll.memory.GlobalPointer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which threads may use a token, and how many tokens there are. */
@Tag("slow")
class TokenTest extends TwoRankEpochs {

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
    void aThreadHasATokenOfItsOwnWithoutAsking() throws Exception {
        Token token = epochs.token();
        assertThat(epochs.token()).isSameAs(token);
        assertThat(elsewhere(() -> epochs.token() != token)).isTrue();
    }
}
