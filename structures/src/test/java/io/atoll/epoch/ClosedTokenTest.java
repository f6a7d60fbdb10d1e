package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the end of a try statement does to tokens: those that the caller has registered, and all others. */
@Tag("slow")
class ClosedTokenTest extends TwoRankEpochs {

    @Test
    void closingALentTokenUndoesItsPinSoThatWhatItHasRetiredIsFreed() throws Exception {
        elsewhere(() -> {
            try (Token token = epochs.pin()) {
                retire(token, 1);
            }
            return null;
        });
        assertThat(epochs.sealAndTryReclaim() + epochs.sealAndTryReclaim() + epochs.sealAndTryReclaim()).isOne();
    }

    @Test
    void closingAThreadsOwnTokenUndoesOnePinAndTheThreadKeepsIt() {
        Token own = epochs.token();
        own.pin();
        try (Token token = epochs.pin()) {
            assertThat(token).isSameAs(own);
        }
        assertThat(own.isPinned()).isTrue();
        own.unpin();
        own.close();
        epochs.pin().unpin();
        assertThat(epochs.token()).isSameAs(own);
    }

    @Test
    void aRegisteredTokenThatIsPinnedIsStillNotClosed() {
        Token token = epochs.register();
        token.pin();
        assertThatIllegalStateException().isThrownBy(token::close).withMessageContaining("pins=1");
        token.unpin();
        token.close();
        assertThatIllegalStateException().isThrownBy(token::pin).withMessageContaining("unregistered");
    }
}
