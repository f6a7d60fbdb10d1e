package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.failure.FabricTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads borrow tokens for one operation. */
class TokenPoolTest {

    private static final int TOKENS = 8;

    @TempDir
    Path folder;

    private World world;
    private EpochManager epochs;

    @BeforeEach
    void open() {
        world = World.named("lent")
                .segment(1 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .epochs(EpochSettings.DEFAULT.tokens(TOKENS))
                .operationTimeout(Duration.ofMillis(200))
                .open();
        epochs = world.epochs();
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void whoHasNoTokenBorrowsOneAndGivesItBack() {
        Token first = epochs.pin();
        assertThat(first.isPinned()).isTrue();
        first.unpin();
        Token second = epochs.pin();
        assertThat(second).isSameAs(first);
        second.unpin();
        assertThatThrownBy(first::pin).isInstanceOf(IllegalStateException.class).hasMessageContaining("nobody");
    }

    @Test
    void anOperationWithinAnotherUsesTheSameToken() {
        Token outer = epochs.pin();
        Token inner = epochs.pin();
        assertThat(inner).isSameAs(outer);
        inner.unpin();
        assertThat(outer.isPinned()).isTrue();
        outer.unpin();
        assertThat(outer.isPinned()).isFalse();
    }

    @Test
    void whoHasATokenOfItsOwnUsesThat() {
        Token own = epochs.token();
        Token begun = epochs.pin();
        assertThat(begun).isSameAs(own);
        begun.unpin();
    }

    @Test
    void tenThousandThreadsShareAFew() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> operations = new ArrayList<>();
            for (int thread = 0; thread < 10_000; thread++) {
                operations.add(threads.submit(() -> {
                    Token token = epochs.pin();
                    try {
                        return token.isPinned();
                    } finally {
                        token.unpin();
                    }
                }));
            }
            for (Future<Boolean> operation : operations) {
                assertThat(operation.get()).isTrue();
            }
        }
    }

    @Test
    void whoWaitsForATokenOfThoseWhoDoNotGoOnSaysSo() throws Exception {
        var begun = new CountDownLatch(TOKENS / 4);
        var end = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            for (int thread = 0; thread < TOKENS / 4; thread++) {
                threads.submit(() -> {
                    Token token = epochs.pin();
                    begun.countDown();
                    end.await();
                    token.unpin();
                    return token;
                });
            }
            begun.await();
            assertThatThrownBy(epochs::pin).isInstanceOf(FabricTimeoutException.class)
                    .hasMessageContaining("tokens=2 timeoutMillis=200");
            end.countDown();
        }
        epochs.pin().unpin();
    }

    @Test
    void whereThreadsHaveRegisteredAllTokensNoneIsLent() {
        List<Token> registered = new ArrayList<>();
        for (int token = 0; token < TOKENS; token++) {
            registered.add(epochs.register());
        }
        assertThatThrownBy(epochs::pin).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("atoll.epochs.tokens")
                .hasMessageContaining("tokens=8")
                .hasMessageContaining("timeoutMillis=200");
        registered.forEach(Token::close);
        epochs.pin().unpin();
    }
}
