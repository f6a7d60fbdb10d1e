package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.interleaving.Instrumented;
import io.atoll.fabric.interleaving.Instrumented.Mutation;
import io.atoll.fabric.interleaving.Interleaving;
import io.atoll.process.Faults;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the protocol of a lane in many orders of its steps: the leader, wake-ups, gathered frames, and reports of a
 * broken lane. It runs the real code. It must find each fault that is built in, and must accept the code as it is.
 */
@Timeout(240)
@Tag("network")
class LaneExplorationTest {

    private static final int ORDERS = Integer.getInteger("atoll.orders", 1_500);
    private static final int MOST_ORDERS_OF_A_FAULT = 40_000;

    private static final Set<String> CHANGED = Set.of("TcpLane", "LaneReader", "Waiter", "Window", "FrameRing");
    private static final ClassDesc LANE = ClassDesc.of("io.atoll.fabric.tcp.TcpLane");
    private static final ClassDesc WINDOW = ClassDesc.of("io.atoll.fabric.tcp.Window");
    private static final ClassDesc FAKE = ClassDesc.of("io.atoll.fabric.tcp.FakeConnection$FakeSelector");
    private static final ClassDesc SELECTOR = ClassDesc.of("java.nio.channels.Selector");

    private static Mutation calls(String className, String method, String called, Faults.Change change) {
        return (name, in) -> name.equals(className) && in.methodName().equalsString(method)
                ? Faults.calls(called, change)
                : null;
    }

    /** Replaces the body of a method of the lane. */
    private static Mutation body(String method, Consumer<CodeBuilder> body) {
        return (name, in) -> name.equals("TcpLane") && in.methodName().equalsString(method)
                ? Faults.body(body)
                : null;
    }

    private static Interleaving.Scenario scenario(Instrumented classes) {
        try {
            return classes.scenario("io.atoll.fabric.tcp.LaneScenario");
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static Instrumented classes(Mutation fault) {
        Mutation selector = calls("LaneReader", "<init>", "open",
                (code, _) -> code.invokestatic(FAKE, "create", MethodTypeDesc.of(SELECTOR)));
        return new Instrumented("io.atoll.fabric.tcp", CHANGED, (name, method) -> {
            CodeTransform faulty = fault.of(name, method);
            return faulty == null ? selector.of(name, method) : faulty;
        });
    }

    @Test
    void everyOrderThatIsTriedEndsWell() {
        Instrumented classes = classes(Mutation.NONE);
        for (long seed = 0; seed < ORDERS; seed++) {
            explore(classes, seed);
        }
    }

    private static void explore(Instrumented classes, long seed) {
        try {
            Interleaving.explore(scenario(classes), seed);
        } catch (AssertionError failure) {
            throw new AssertionError("seed=" + seed + ": " + failure.getMessage(), failure);
        }
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                fault("a leader that leaves wakes nobody", body("wakeOne", CodeBuilder::return_)),
                fault("what was gathered is never written",
                        body("sendGathered", CodeBuilder::return_)),
                fault("the window counts what is cut off", calls("TcpLane", "send", "sendBy", (code, call) -> {
                    code.aload(0).getfield(LANE, "window", WINDOW);
                    code.aload(0).getfield(LANE, "lastAnswered", ConstantDescs.CD_long);
                    code.invokevirtual(WINDOW, "sent", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long));
                    code.with(call);
                })),
                fault("an answer goes to the next thread", calls("TcpLane", "take", "waiter", (code, call) -> {
                    code.lconst_1().ladd();
                    code.with(call);
                })),
                fault("nobody is told that a lane is broken",
                        body("wakeAll", CodeBuilder::return_)),
                fault("a failure is told while an answer is placed", calls("TcpLane", "tellFailure", "lead",
                        (code, _) -> code.pop().iconst_1())),
                fault("a thread that gives up leaves its memory to the lane",
                        body("giveUp", CodeBuilder::return_)),
                fault("a reader goes on to lead a lane that is broken",
                        calls("LaneReader", "lookAtLed", "isAwaitedByVirtual",
                                (code, _) -> code.pop().iconst_1())),
                fault("nobody waits for room in the socket",
                        body("interest", code -> code.iconst_1().ireturn())),
                fault("a leader waits by its wire though frames have no room in the socket",
                        calls("TcpLane", "waitAndRead", "interest", (code, _) -> code.pop().iconst_1())),
                fault("nobody ends the wait of a leader of a broken lane",
                        calls("TcpLane", "wakeLeader", "endWaits", (code, _) -> code.pop())));
    }

    private static Arguments fault(String name, Mutation mutation) {
        return Arguments.of(name, mutation);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void aFaultIsFound(String name, Mutation fault) {
        Instrumented classes = classes(fault);
        String found = null;
        for (long seed = 0; seed < MOST_ORDERS_OF_A_FAULT && found == null; seed++) {
            try {
                explore(classes, seed);
            } catch (AssertionError failure) {
                found = failure.getMessage();
            }
        }
        assertThat(found).as(name).isNotNull();
    }
}
