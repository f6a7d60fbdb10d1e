package io.atoll.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every verb goes through the hooks of a wrapper, between which the wrapped fabric or batch executes it. */
class ForwardingFabricTest {

    private static final Set<String> NO_VERBS_OF_A_FABRIC = Set.of("rank", "size", "guarantees", "executesAtOnce",
            "batch", "newBatch", "mapped", "mapsEverySegment", "mapping", "whenRemapped", "local", "structures",
            "clock",
            "close");
    private static final Set<String> NO_VERBS_OF_A_BATCH = Set.of("buffer", "memory", "word", "setWord", "result",
            "guard", "unguard", "succeeded", "displacement", "answered", "mostAtomics", "complete", "post", "poll",
            "close");

    private final List<String> events = new ArrayList<>();

    private final class Listening extends ForwardingFabric {

        private final boolean composes;

        Listening(Fabric wrapped, boolean composes) {
            super(wrapped);
            this.composes = composes;
        }

        @Override
        protected long before(Verb verb, int target, long offset, long bytes) {
            events.add("before " + verb.methodName() + " of " + bytes);
            return 77;
        }

        @Override
        protected void after(Verb verb, int target, long offset, long bytes, long begun) {
            events.add("after " + verb.methodName() + " begun " + begun);
        }

        @Override
        protected boolean composes() {
            return composes;
        }

        @Override
        public Batch batch() {
            return newBatch(0);
        }

        @Override
        public Batch newBatch(long bufferBytes) {
            return new ListeningBatch(wrapped().newBatch(bufferBytes));
        }
    }

    private final class ListeningBatch extends ForwardingBatch {

        ListeningBatch(Batch wrapped) {
            super(wrapped);
        }

        @Override
        protected void before(Verb verb, int target, long offset, long bytes) {
            events.add("before " + verb.methodName() + " of " + bytes);
        }

        @Override
        protected void after(Verb verb, int target, long offset, long bytes) {
            events.add("after " + verb.methodName());
        }

        @Override
        protected void departs() {
            events.add("departs");
        }

        @Override
        protected void arrives() {
            events.add("arrives");
        }
    }

    private static Stream<Method> verbs(Class<?> type, Set<String> others) {
        return Stream.of(type.getDeclaredMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !others.contains(method.getName()));
    }

    static Stream<Method> verbsOfAFabric() {
        return verbs(Fabric.class, NO_VERBS_OF_A_FABRIC);
    }

    static Stream<Method> verbsOfABatch() {
        return verbs(Batch.class, NO_VERBS_OF_A_BATCH);
    }

    private static Object[] arguments(Method verb) {
        return Stream.of(verb.getParameterTypes())
                .map(type -> type == int.class
                        ? (Object) 1
                        : type == long.class ? (Object) 24L : MemorySegment.ofArray(new long[8]))
                .toArray();
    }

    /** Writes down what reaches it. A verb returns 5, and everything works at the first attempt. */
    private <T> T innermost(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type},
                (_, method, arguments) -> {
                    events.add(method.getName() + Arrays.toString(arguments));
                    Class<?> answer = method.getReturnType();
                    return answer == int.class
                            ? (Object) 5
                            : answer == long.class ? (Object) 5L : answer == boolean.class ? (Object) true : null;
                }));
    }

    private void assertPassesTheHooks(Object wrapper, Method verb, String begun) throws Exception {
        Object[] arguments = arguments(verb);
        Object answer = verb.invoke(wrapper, arguments);
        if (verb.getReturnType() != void.class) {
            assertThat(((Number) answer).longValue()).isEqualTo(5);
        }
        assertThat(events).hasSize(3);
        String named = Stream.of(Verb.values())
                .map(Verb::methodName)
                .filter(name -> verb.getName().equals(name) || verb.getName().equals(name + "Word"))
                .findFirst()
                .orElseThrow();
        String moved = named.equals("readRecords") ? "32" : "(0|8|24)"; // a record and its first word once more
        assertThat(events.getFirst()).matches("before " + named + " of " + moved);
        assertThat(events.get(1)).isEqualTo(verb.getName() + Arrays.toString(arguments.length == 0 ? null : arguments));
        assertThat(events.getLast()).isEqualTo("after " + named + begun);
    }

    @ParameterizedTest
    @MethodSource("verbsOfAFabric")
    void everyVerbOfAFabricPassesTheHooks(Method verb) throws Exception {
        assertPassesTheHooks(new Listening(innermost(Fabric.class), false), verb, " begun 77");
    }

    @ParameterizedTest
    @MethodSource("verbsOfABatch")
    void everyVerbOfABatchPassesTheHooks(Method verb) throws Exception {
        assertPassesTheHooks(new ListeningBatch(innermost(Batch.class)), verb, "");
    }

    @Test
    void noVerbHasADefaultThatAWrapperCouldForgetToForward() {
        assertThat(verbsOfAFabric()).hasSizeGreaterThanOrEqualTo(10).noneMatch(Method::isDefault);
        assertThat(Batch.class.getDeclaredMethods()).noneMatch(Method::isDefault);
    }

    @Test
    void aComposedVerbPassesTheHooksAsTheVerbsThatItIsComposedOf() {
        assertThat(new Listening(innermost(Fabric.class), true).getAndSet(1, 24, 9)).isEqualTo(5);
        assertThat(events).containsExactly("before read of 8", "readWord[1, 24]", "after read begun 77",
                "before compareAndExchange of 8", "compareAndExchange[1, 24, 5, 9]",
                "after compareAndExchange begun 77");
    }

    @Test
    void aBatchDepartsOncePostedAndArrivesOnceItIsComplete() {
        Batch batch = new ListeningBatch(innermost(Batch.class));
        batch.post();
        batch.poll();
        batch.complete();
        assertThat(events).containsExactly("departs", "postnull", "pollnull", "arrives", "departs", "completenull",
                "arrives");
    }
}
