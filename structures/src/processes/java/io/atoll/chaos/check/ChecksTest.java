package io.atoll.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Outcome;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Right histories, and others that are wrong by one operation. */
@Tag("processes")
class ChecksTest {

    private static final int KILLED = 9;
    private static final int LEFT = 8;
    private static final int REMOVED = 7;

    private final List<Entry> entries = new ArrayList<>();
    private Set<Structure> drained = EnumSet.allOf(Structure.class);

    private void add(int process, Structure structure, Verb verb, long key, long argument, long second, long called,
            long returned, Outcome outcome, long result, long extra) {
        entries.add(new Entry(process, 0, structure, verb, key, argument, second, called, returned, outcome, result,
                extra));
    }

    private void done(Structure structure, Verb verb, long key, long argument, long called, long returned,
            long result) {
        add(1, structure, verb, key, argument, 0, called, returned, Outcome.DONE, result, 0);
    }

    private void open(Structure structure, Verb verb, long key, long argument, long called) {
        add(KILLED, structure, verb, key, argument, 0, called, Entry.NEVER, Outcome.PENDING, 0, 0);
    }

    private List<String> findings() {
        var run = new Run(entries, Set.of(KILLED, REMOVED), Set.of(REMOVED), Map.of(LEFT, 15L), drained, false, 0);
        return Checks.of(run, new long[1]).stream().map(Finding::what).toList();
    }

    private void finds(String what) {
        assertThat(findings()).singleElement().asString().contains(what);
    }

    private void findsNothing() {
        assertThat(findings()).isEmpty();
    }

    // --- registers ---

    @Test
    void whatWasPutIsFoundUntilItIsRemoved() {
        done(Structure.LONG_MAP, Verb.PUT, 7, 5, 0, 1, 1);
        done(Structure.LONG_MAP, Verb.INCREMENT, 7, 3, 2, 3, 8);
        done(Structure.LONG_MAP, Verb.FIND, 7, 0, 4, 5, 8);
        done(Structure.LONG_MAP, Verb.REMOVE, 7, 0, 6, 7, 8);
        done(Structure.LONG_MAP, Verb.FIND, 7, 0, 8, 9, Entry.ABSENT);
        done(Structure.LONG_ARRAY, Verb.GET_AND_ADD, 7, 2, 0, 1, 0);
        findsNothing();
    }

    @Test
    void aLostUpdateIsFoundWithTheShortestHistoryThatShowsIt() {
        done(Structure.FIXED_MAP, Verb.FIND, 7, 0, 0, 1, Entry.ABSENT);
        done(Structure.FIXED_MAP, Verb.INCREMENT, 7, 1, 2, 5, 1);
        done(Structure.FIXED_MAP, Verb.INCREMENT, 7, 1, 3, 4, 1);
        done(Structure.FIXED_MAP, Verb.FIND, 7, 0, 6, 7, 1);
        finds("FIXED_MAP is not linearizable: key=7");
        var run = new Run(entries, Set.of(), Set.of(), Map.of(), drained, false, 0);
        assertThat(Checks.of(run, new long[1]).getFirst().history()).hasSize(2)
                .allMatch(line -> line.contains("INCREMENT"));
    }

    @Test
    void anUpdateOfTheKilledMayHaveHappenedOrNotButNotBoth() {
        open(Structure.TEXT_MAP, Verb.PUT, 7, 5, 0);
        done(Structure.TEXT_MAP, Verb.FIND, 7, 0, 1, 2, Entry.ABSENT);
        done(Structure.TEXT_MAP, Verb.FIND, 7, 0, 3, 4, 5);
        findsNothing();
        done(Structure.TEXT_MAP, Verb.FIND, 7, 0, 5, 6, Entry.ABSENT);
        finds("TEXT_MAP is not linearizable");
    }

    @Test
    void whatWasRefusedHadNoEffect() {
        done(Structure.TEXT_MAP, Verb.PUT, 7, 5, 0, 1, 1);
        add(1, Structure.TEXT_MAP, Verb.REMOVE, 7, 0, 0, 2, 3, Outcome.REFUSED, 0, 0);
        done(Structure.TEXT_MAP, Verb.FIND, 7, 0, 4, 5, Entry.ABSENT);
        finds("TEXT_MAP is not linearizable");
    }

    // --- queues ---

    private void push(Structure structure, long value, long called) {
        done(structure, Verb.PUSH, 0, value, called, called + 1, 1);
    }

    private void pop(Structure structure, long value, long called) {
        done(structure, Verb.POP, 0, 1, called, called + 1, value);
    }

    @Test
    void aQueueDeliversOnceAndInOrder() {
        push(Structure.CIRCULAR_QUEUE, 5, 0);
        push(Structure.CIRCULAR_QUEUE, 6, 2);
        pop(Structure.CIRCULAR_QUEUE, 5, 4);
        pop(Structure.CIRCULAR_QUEUE, 6, 6);
        pop(Structure.CIRCULAR_QUEUE, Entry.ABSENT, 8);
        push(Structure.STACK, 5, 0);
        push(Structure.STACK, 6, 2);
        pop(Structure.STACK, 6, 4);
        pop(Structure.STACK, 5, 6);
        findsNothing();
    }

    @Test
    void anElementThatIsDeliveredTwiceIsFound() {
        push(Structure.LINKED_QUEUE, 5, 0);
        pop(Structure.LINKED_QUEUE, 5, 2);
        pop(Structure.LINKED_QUEUE, 5, 4);
        finds("LINKED_QUEUE pops an element twice");
    }

    @Test
    void anElementThatNobodyPushedIsFound() {
        pop(Structure.STACK, 5, 2);
        finds("STACK pops what nobody pushed");
    }

    @Test
    void anElementThatIsPoppedBeforeItIsPushedIsFound() {
        pop(Structure.STACK, 5, 0);
        push(Structure.STACK, 5, 5);
        finds("STACK pops before it is pushed");
    }

    @Test
    void anElementIsLostToAPopOfTheKilledOnly() {
        push(Structure.CIRCULAR_QUEUE, 5, 0);
        open(Structure.CIRCULAR_QUEUE, Verb.POP, 0, 1, 2);
        findsNothing();
        push(Structure.CIRCULAR_QUEUE, 6, 4);
        finds("CIRCULAR_QUEUE has lost elements: lost=2 openPops=1");
    }

    @Test
    void whatIsLeftInAQueueThatNobodyCouldEmptyIsNotLost() {
        drained = Set.of();
        push(Structure.CIRCULAR_QUEUE, 5, 0);
        findsNothing();
    }

    @Test
    void aPushOfTheKilledMayBeDeliveredOrNot() {
        open(Structure.CIRCULAR_QUEUE, Verb.PUSH, 0, 5, 0);
        open(Structure.CIRCULAR_QUEUE, Verb.PUSH, 0, 6, 0);
        pop(Structure.CIRCULAR_QUEUE, 6, 2);
        findsNothing();
    }

    @Test
    void aWrongOrderIsFound() {
        push(Structure.LINKED_QUEUE, 5, 0);
        push(Structure.LINKED_QUEUE, 6, 2);
        pop(Structure.LINKED_QUEUE, 6, 4);
        pop(Structure.LINKED_QUEUE, 5, 6);
        finds("LINKED_QUEUE is not first in, first out");
    }

    @Test
    void popsAtTheSameTimeMayReturnInEitherOrder() {
        push(Structure.LINKED_QUEUE, 5, 0);
        push(Structure.LINKED_QUEUE, 6, 2);
        done(Structure.LINKED_QUEUE, Verb.POP, 0, 1, 4, 9, 6);
        done(Structure.LINKED_QUEUE, Verb.POP, 0, 1, 5, 8, 5);
        findsNothing();
    }

    @Test
    void aQueueThatIsCalledEmptyWhileItHasAnElementIsFound() {
        push(Structure.CIRCULAR_QUEUE, 5, 0);
        pop(Structure.CIRCULAR_QUEUE, Entry.ABSENT, 2);
        pop(Structure.CIRCULAR_QUEUE, 5, 4);
        finds("CIRCULAR_QUEUE is said to be empty while it has an element");
    }

    @Test
    void aQueueThatHasOneElementAfterTheOtherIsNotEmptyInBetween() {
        push(Structure.CIRCULAR_QUEUE, 5, 0);
        done(Structure.CIRCULAR_QUEUE, Verb.POP, 0, 0, 3, 16, Entry.ABSENT);
        push(Structure.CIRCULAR_QUEUE, 6, 6);
        pop(Structure.CIRCULAR_QUEUE, 5, 10);
        pop(Structure.CIRCULAR_QUEUE, 6, 18);
        finds("CIRCULAR_QUEUE is said to be empty while it has an element");
    }

    private void batch(Verb verb, long argument, long number, long called, long result) {
        add(1, Structure.CIRCULAR_QUEUE, verb, 0, argument, number, called, called + 1, Outcome.DONE, result, 0);
    }

    @Test
    void elementsThatArePushedAtOnceKeepTheirOrder() {
        batch(Verb.PUSH, 5, 1, 0, 1);
        batch(Verb.PUSH, 6, 1, 0, 1);
        batch(Verb.POP, 0, 2, 4, 5);
        batch(Verb.POP, 1, 2, 4, 6);
        findsNothing();
        batch(Verb.PUSH, 7, 3, 6, 1);
        batch(Verb.PUSH, 8, 3, 6, 1);
        pop(Structure.CIRCULAR_QUEUE, 8, 8);
        pop(Structure.CIRCULAR_QUEUE, 7, 10);
        finds("CIRCULAR_QUEUE changes the order of what was pushed at once");
    }

    @Test
    void elementsThatArePushedAndPoppedAtOnceKeepTheirOrder() {
        batch(Verb.PUSH, 5, 1, 0, 1);
        batch(Verb.PUSH, 6, 1, 0, 1);
        batch(Verb.POP, 0, 2, 4, 6);
        batch(Verb.POP, 1, 2, 4, 5);
        finds("CIRCULAR_QUEUE changes the order of what was pushed at once");
    }

    @Test
    void elementsThatArePoppedAtOnceAreInOrder() {
        push(Structure.CIRCULAR_QUEUE, 5, 0);
        push(Structure.CIRCULAR_QUEUE, 6, 2);
        batch(Verb.POP, 0, 2, 4, 6);
        batch(Verb.POP, 1, 2, 4, 5);
        finds("CIRCULAR_QUEUE pops at once, but not in order");
    }

    // --- stacks ---

    @Test
    void aStackThatPopsWhatLiesBelowIsFound() {
        push(Structure.STACK, 5, 0);
        push(Structure.STACK, 6, 2);
        pop(Structure.STACK, 5, 4);
        pop(Structure.STACK, 6, 6);
        finds("STACK is not last in, first out");
    }

    @Test
    void aStackIsJudgedBehindAPieceThatIsRight() {
        push(Structure.STACK, 4, 0);
        pop(Structure.STACK, 4, 2);
        push(Structure.STACK, 5, 10);
        push(Structure.STACK, 6, 12);
        push(Structure.STACK, 7, 14);
        pop(Structure.STACK, 7, 16);
        pop(Structure.STACK, 5, 18);
        pop(Structure.STACK, 6, 20);
        finds("STACK is not last in, first out");
    }

    @Test
    void valuesThatArePushedAtTheSameTimeLieInEitherOrder() {
        done(Structure.STACK, Verb.PUSH, 0, 5, 0, 3, 1);
        done(Structure.STACK, Verb.PUSH, 0, 6, 1, 2, 1);
        pop(Structure.STACK, 5, 4);
        pop(Structure.STACK, 6, 6);
        findsNothing();
    }

    @Test
    void whatAPopOfTheKilledHasTakenLiesAboveNothing() {
        push(Structure.STACK, 5, 0);
        push(Structure.STACK, 6, 2);
        open(Structure.STACK, Verb.POP, 0, 0, 4);
        pop(Structure.STACK, 5, 6);
        findsNothing();
    }

    @Test
    void aPushOfTheKilledTakesItsPlaceBeforeItsValueIsPopped() {
        open(Structure.STACK, Verb.PUSH, 0, 5, 0);
        push(Structure.STACK, 6, 2);
        pop(Structure.STACK, 6, 4);
        pop(Structure.STACK, 5, 6);
        pop(Structure.STACK, Entry.ABSENT, 8);
        findsNothing();
        pop(Structure.STACK, Entry.ABSENT, 10);
        open(Structure.STACK, Verb.PUSH, 0, 7, 12);
        pop(Structure.STACK, 7, 14);
        findsNothing();
    }

    /** There are so many pushes at once that no search ends. */
    @Test
    void aPairInTheWrongOrderIsFoundInAPieceThatIsTooLongToBeSearched() {
        int many = 40;
        for (int value = 0; value < many; value++) {
            done(Structure.STACK, Verb.PUSH, 0, value, 0, 10, 1);
        }
        push(Structure.STACK, 1000, 12);
        push(Structure.STACK, 1001, 14);
        pop(Structure.STACK, 1000, 16);
        pop(Structure.STACK, 1001, 18);
        for (int value = 0; value < many; value++) {
            pop(Structure.STACK, value, 20 + 2 * value);
        }
        var run = new Run(entries, Set.of(), Set.of(), Map.of(), drained, false, 0);
        long[] undecided = new long[1];
        assertThat(Stacks.check(run, undecided)).singleElement()
                .extracting(Finding::what)
                .isEqualTo("STACK pops what lies below something else");
        assertThat(undecided).containsExactly(1);
    }

    // --- counters ---

    private void increment(int process, long called, long returned, long sum) {
        add(process, Structure.COUNTER, Verb.INCREMENT, 3, 1, 0, called, returned, Outcome.DONE, sum, 0);
    }

    @Test
    void aCounterMayHaveWhatTheKilledHaveAdded() {
        increment(1, 0, 5, 2);
        increment(2, 1, 4, 1);
        open(Structure.COUNTER, Verb.INCREMENT, 3, 1, 6);
        increment(1, 8, 9, 4);
        findsNothing();
        increment(1, 10, 11, 6);
        finds("COUNTER 3 has more than was added: smaller=3 open=1");
    }

    @Test
    void aSumThatIsReturnedTwiceIsFound() {
        increment(1, 0, 5, 1);
        increment(2, 1, 4, 1);
        finds("COUNTER 3 returns a sum twice");
    }

    @Test
    void aCounterThatGoesBackIsFound() {
        increment(1, 0, 2, 2);
        increment(2, 4, 5, 1);
        finds("COUNTER 3 goes back");
    }

    // --- atomic objects ---

    private void object(Verb verb, long argument, long second, long called, long result) {
        add(1, Structure.ATOMIC_OBJECT, verb, 3, argument, second, called, called + 1, Outcome.DONE, result, 0);
    }

    private static long counted(long object, long count) {
        return object << 16 | count;
    }

    @Test
    void anAtomicObjectCountsItsChanges() {
        object(Verb.SET, 2, 0, 0, 0);
        object(Verb.GET_AND_PUT, 1, 0, 2, counted(2, 1));
        object(Verb.SWAP, 1, 3, 4, 1);
        object(Verb.COMPARE_AND_SET, counted(3, 3), 1, 6, 1);
        object(Verb.COMPARE_AND_SET, counted(1, 2), 3, 8, 0);
        object(Verb.FIND, 0, 0, 10, counted(1, 4));
        findsNothing();
    }

    @Test
    void anObjectThatWasAwayAndIsTakenForTheOneThatWasExpectedIsFound() {
        object(Verb.SET, 2, 0, 0, 0);
        object(Verb.SET, 1, 0, 2, 0);
        object(Verb.SET, 2, 0, 4, 0);
        object(Verb.COMPARE_AND_SET, counted(2, 1), 3, 6, 1);
        finds("ATOMIC_OBJECT is not linearizable");
    }

    // --- locks ---

    private void hold(int process, long token, boolean recovered, long acquired, long released) {
        add(process, Structure.ALOCK, Verb.ACQUIRE, 3, 1, 0, acquired - 1, acquired, Outcome.DONE, token,
                recovered ? 1 : 0);
        if (released > 0) {
            add(process, Structure.ALOCK, Verb.RELEASE, 3, token, 0, released, released + 1, Outcome.DONE, 0, 0);
        }
    }

    @Test
    void aLockIsHeldByOneAfterTheOther() {
        hold(1, 10, false, 5, 10);
        hold(2, 11, false, 12, 20);
        hold(KILLED, 12, false, 22, 0);
        hold(2, 15, true, 30, 31);
        findsNothing();
    }

    @Test
    void whoeverHasLeftHoldsNothing() {
        hold(LEFT, 10, false, 5, 20);
        hold(2, 11, false, 16, 19);
        findsNothing();
    }

    /** It asks at 10 for the lock, gets it, and stands still until 30. */
    private void holdLate(int process, long token) {
        add(process, Structure.ALOCK, Verb.ACQUIRE, 3, 1, 0, 10, 30, Outcome.DONE, token, 0);
        add(process, Structure.ALOCK, Verb.RELEASE, 3, token, 0, 33, 34, Outcome.DONE, 0, 0);
    }

    private void holdsOfOthersMeanwhile(boolean recovered) {
        hold(1, 11, recovered, 15, 16);
        hold(2, 12, false, 20, 25);
        hold(1, 13, false, 32, 35);
    }

    @Test
    void whoeverWasRemovedMayLearnLateThatItHasHadTheLock() {
        hold(1, 9, false, 5, 8);
        holdLate(REMOVED, 10);
        holdsOfOthersMeanwhile(true);
        findsNothing();
    }

    @Test
    void onlyIfTheNextHolderWasTold() {
        holdLate(REMOVED, 10);
        holdsOfOthersMeanwhile(false);
        assertThat(findings()).contains("ALOCK 3 is acquired with a token that does not grow",
                "ALOCK 3 is held by two");
    }

    @Test
    void aProcessThatWasNotRemovedLearnsInTime() {
        holdLate(2, 10);
        holdsOfOthersMeanwhile(true);
        assertThat(findings()).contains("ALOCK 3 is acquired with a token that does not grow");
    }

    @Test
    void theRemovedHasTheLockOnlyAfterThoseBeforeIt() {
        hold(1, 9, false, 5, 12);
        hold(REMOVED, 10, false, 8, 20);
        hold(1, 11, true, 15, 16);
        finds("ALOCK 3 is held by two");
    }

    @Test
    void severalOfTheRemovedMayLearnItLate() {
        holdLate(REMOVED, 9);
        add(REMOVED, Structure.ALOCK, Verb.ACQUIRE, 3, 1, 0, 11, 29, Outcome.DONE, 10, 1);
        holdsOfOthersMeanwhile(true);
        findsNothing();
    }

    @Test
    void aTokenOfTheRemovedThatAnotherHolderHasIsFound() {
        holdLate(REMOVED, 11);
        holdsOfOthersMeanwhile(true);
        assertThat(findings()).contains("ALOCK 3 is acquired with a token that does not grow");
    }

    @Test
    void aLockThatIsHeldByTwoIsFound() {
        hold(1, 10, false, 5, 10);
        hold(2, 11, false, 9, 20);
        finds("ALOCK 3 is held by two");
    }

    @Test
    void aTokenThatDoesNotGrowIsFound() {
        hold(1, 10, false, 5, 10);
        hold(2, 10, false, 12, 20);
        finds("ALOCK 3 is acquired with a token that does not grow");
    }

    @Test
    void aHolderWhoIsNotToldOfTheKilledOneIsFound() {
        hold(KILLED, 12, false, 22, 0);
        hold(2, 15, false, 30, 31);
        finds("ALOCK 3 is not said to be recovered after its holder was killed");
    }

    // --- filters, windows, rounds, objects ---

    @Test
    void aFilterMayKnowWhatTheKilledHaveAdded() {
        open(Structure.FILTER, Verb.ADD, 7, 0, 0);
        done(Structure.FILTER, Verb.CONTAINS, 7, 0, 1, 2, 1);
        done(Structure.FILTER, Verb.CONTAINS, 8, 0, 1, 2, 0);
        done(Structure.FILTER, Verb.ADD, 8, 0, 3, 4, 1);
        done(Structure.FILTER, Verb.CONTAINS, 8, 0, 5, 6, 1);
        findsNothing();
    }

    @Test
    void aFalseNegativeIsFound() {
        done(Structure.FILTER, Verb.ADD, 7, 0, 0, 1, 1);
        done(Structure.FILTER, Verb.CONTAINS, 7, 0, 2, 3, 0);
        finds("FILTER denies what was added");
    }

    @Test
    void anElementThatIsNewTwiceIsFound() {
        done(Structure.FILTER, Verb.ADD, 7, 0, 0, 3, 1);
        done(Structure.FILTER, Verb.ADD, 7, 0, 1, 2, 1);
        finds("FILTER calls an element new twice");
    }

    @Test
    void anElementThatIsNewAfterItWasAddedIsFound() {
        done(Structure.FILTER, Verb.ADD, 7, 0, 0, 1, 0);
        done(Structure.FILTER, Verb.ADD, 7, 0, 2, 3, 1);
        finds("FILTER calls new what was added before");
    }

    private void send(long number, long called, boolean complete) {
        add(1, Structure.WINDOW, Verb.SEND, 3, number, 0, called, complete ? called + 1 : Entry.NEVER,
                complete ? Outcome.DONE : Outcome.UNKNOWN, 0, 0);
    }

    private void read(long least, long largest, long called) {
        add(2, Structure.WINDOW, Verb.READ, 3, 0, 0, called, called + 1, Outcome.DONE, least, largest - least);
    }

    @Test
    void aWindowHasWhatWasCompleteOrSomethingNewer() {
        send(10, 0, true);
        read(10, 10, 2);
        send(20, 4, false);
        read(10, 20, 6);
        read(20, 20, 8);
        findsNothing();
    }

    @Test
    void aBroadcastThatWasCompleteAndDidNotArriveIsFound() {
        send(10, 0, true);
        send(20, 4, true);
        read(10, 20, 6);
        finds("WINDOW has something older than what was complete");
    }

    @Test
    void aBroadcastThatNobodyHasSentIsFound() {
        send(10, 0, true);
        read(10, 30, 6);
        finds("WINDOW has what nobody has sent yet");
    }

    @Test
    void exchangesThatBringDifferentThingsAreFound() {
        done(Structure.EXCHANGE, Verb.SEE, 7, 100, 0, 1, 0);
        done(Structure.EXCHANGE, Verb.SEE, 7, 100, 0, 1, 0);
        done(Structure.EXCHANGE, Verb.SEE, 8, 101, 0, 1, 0);
        findsNothing();
        done(Structure.EXCHANGE, Verb.SEE, 8, 102, 0, 1, 0);
        finds("EXCHANGE brings different results");
    }

    @Test
    void reductionsThatBringDifferentThingsAreFound() {
        done(Structure.REDUCTION, Verb.SEE, 8, 101, 0, 1, 0);
        done(Structure.EXCHANGE, Verb.SEE, 8, 102, 0, 1, 0);
        findsNothing();
        done(Structure.REDUCTION, Verb.SEE, 8, 102, 0, 1, 0);
        finds("REDUCTION brings different results");
    }

    @Test
    void aFastQueueIsJudgedInRoundsThatEndedWell() {
        done(Structure.EXCHANGE, Verb.PUSH, 1, 5, 0, 1, 1);
        done(Structure.EXCHANGE, Verb.PUSH, 2, 6, 2, 3, 1);
        done(Structure.EXCHANGE, Verb.POP, 2, 1, 4, 5, 6);
        done(Structure.EXCHANGE, Verb.CLEAN, 2, 0, 6, 7, 0);
        findsNothing();
        done(Structure.EXCHANGE, Verb.CLEAN, 1, 0, 6, 7, 0);
        finds("FAST_QUEUE does not deliver once: round=1");
    }

    @Test
    void anObjectThatChangedUnderAPinIsFound() {
        done(Structure.EPOCHS, Verb.READ, 7, 0, 0, 1, 0);
        findsNothing();
        done(Structure.EPOCHS, Verb.READ, 7, 0, 0, 1, 0xDEAD);
        finds("EPOCHS freed an object under a pin: found=dead");
    }
}
