package io.atoll.fabric.sim;

import static io.atoll.fabric.sim.History.NEVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.sim.History.Call;
import io.atoll.fabric.sim.Linearizability.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("simulation")
class LinearizabilityTest {

    /** A word under one key. A read has no value; an add returns the former value. */
    private record Operation(String verb, String key, long value) {}

    private static final SequentialSpecification<Long, Operation, Long> WORD = new SequentialSpecification<>() {
        @Override
        public Long initial() {
            return 0L;
        }

        @Override
        public Outcome<Long, Long> apply(Long state, Operation operation) {
            return switch (operation.verb) {
                case "read" -> new Outcome<>(state, state);
                case "write" -> new Outcome<>(operation.value, 0L);
                case "add" -> new Outcome<>(state + operation.value, state);
                default -> throw new IllegalArgumentException(operation.verb);
            };
        }
    };

    private final List<Call<Operation, Long>> calls = new ArrayList<>();

    private void call(String verb, long value, long called, long returned, @Nullable Long result) {
        calls.add(new Call<>("t", new Operation(verb, "k", value), called, returned, result));
    }

    private boolean holds() {
        return Linearizability.holds(calls, WORD);
    }

    @Test
    void nothingIsLinearizable() {
        assertThat(holds()).isTrue();
    }

    @Test
    void aReadAfterAWriteReturnsIt() {
        call("write", 5, 0, 1, 0L);
        call("read", 0, 2, 3, 5L);
        assertThat(holds()).isTrue();
    }

    @Test
    void aReadAfterAWriteThatReturnsWhatWasBeforeIsRejected() {
        call("write", 5, 0, 1, 0L);
        call("read", 0, 2, 3, 0L);
        assertThat(holds()).isFalse();
    }

    @Test
    void aReadDuringAWriteReturnsEither() {
        call("write", 5, 0, 5, 0L);
        call("read", 0, 1, 2, 0L);
        call("read", 0, 3, 4, 5L);
        assertThat(holds()).isTrue();
    }

    @Test
    void whatWasReadNewIsNotReadOldAgain() {
        call("write", 5, 0, 5, 0L);
        call("read", 0, 1, 2, 5L);
        call("read", 0, 3, 4, 0L);
        assertThat(holds()).isFalse();
    }

    @Test
    void twoAddsThatFoundTheSameAreALostUpdate() {
        call("add", 1, 0, 3, 0L);
        call("add", 1, 1, 2, 0L);
        assertThat(holds()).isFalse();
    }

    @Test
    void anOperationThatNeverReturnedMayHaveTakenEffectOrNot() {
        call("write", 5, 0, NEVER, null);
        call("read", 0, 1, 2, 0L);
        assertThat(holds()).isTrue();
        call("read", 0, 3, 4, 5L);
        assertThat(holds()).isTrue();
        call("read", 0, 5, 6, 0L);
        assertThat(holds()).isFalse();
    }

    @Test
    void anOperationThatNeverReturnedTakesNoEffectBeforeItsCall() {
        call("read", 0, 0, 1, 5L);
        call("write", 5, 2, NEVER, null);
        assertThat(holds()).isFalse();
    }

    @Test
    void aWrongChoiceIsTakenBack() {
        // The order must be write 2, write 1, read 1, although write 1 was called first.
        call("write", 1, 0, 4, 0L);
        call("write", 2, 1, 5, 0L);
        call("read", 0, 2, 3, 2L);
        call("read", 0, 6, 7, 1L);
        assertThat(holds()).isTrue();
        call("read", 0, 8, 9, 2L);
        assertThat(holds()).isFalse();
    }

    @Test
    void theSameCallsInAnotherOrderAreNotSearchedTwice() {
        // 14! orders, 14 * 2^14 outcomes.
        for (int i = 0; i < 14; i++) {
            call("write", i, i, 100 + i, 0L);
        }
        call("read", 0, 200, 201, 14L);
        assertThat(holds()).isFalse();
    }

    @Test
    void aSearchThatIsBoundedSaysWhenItIsGivenUp() {
        for (int i = 0; i < 14; i++) {
            call("write", i, i, 100 + i, 0L);
        }
        assertThat(Linearizability.judge(calls, WORD, 14)).isEqualTo(Verdict.HOLDS);
        call("read", 0, 200, 201, 14L);
        assertThat(Linearizability.judge(calls, WORD, 1000)).isEqualTo(Verdict.UNDECIDED);
        assertThat(Linearizability.judge(calls, WORD, 100_000_000)).isEqualTo(Verdict.FAILS);
    }

    @Test
    void aLongHistoryIsJudged() {
        for (int i = 0; i < 20_000; i++) {
            call("add", 1, 3L * i, 3L * i + 4, (long) i);
        }
        assertThat(holds()).isTrue();
    }

    @Test
    void keysAreJudgedEachByItself() {
        var history = new History<Operation, Long>();
        history.call(new Operation("write", "a", 1), () -> 0L);
        history.call(new Operation("read", "b", 0), () -> 0L);
        Function<Operation, String> key = Operation::key;

        Linearizability.checkPerKey(history, key, WORD);
        assertThatThrownBy(() -> Linearizability.check(history, WORD)).isInstanceOf(AssertionError.class);

        history.call(new Operation("read", "a", 0), () -> 9L);
        assertThatThrownBy(() -> Linearizability.checkPerKey(history, key, WORD))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("not linearizable: key=a")
                .hasMessageContaining("-> 9");
    }

    @Test
    void whatThrowsStaysPending() {
        var history = new History<Operation, Long>();
        assertThatThrownBy(() -> history.call(new Operation("read", "k", 0), () -> {
            throw new IllegalStateException("thrown by the operation");
        })).hasMessage("thrown by the operation");
        assertThat(history.calls()).singleElement().matches(Call::isPending);
    }

    @Test
    void realThreadsWriteOneHistory() {
        var history = new History<Operation, Long>();
        var word = new AtomicLong();
        var threads = new ArrayList<CompletableFuture<?>>();
        for (int i = 0; i < 3; i++) {
            threads.add(CompletableFuture.runAsync(() -> {
                for (int j = 0; j < 50; j++) {
                    history.call(new Operation("add", "k", 1), () -> word.getAndAdd(1));
                }
            }));
        }
        threads.forEach(CompletableFuture::join);

        assertThat(history.calls()).hasSize(150).noneMatch(Call::isPending);
        Linearizability.check(history, WORD);
    }
}
