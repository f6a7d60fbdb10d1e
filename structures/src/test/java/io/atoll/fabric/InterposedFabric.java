package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Puts a listener between a process and its fabric. The listener may act before and after each verb. If the test asks
 * for it, the listener may also act before each access of the CPU.
 */
public final class InterposedFabric {

    private static final Set<String> VERBS = Set.of("read", "readWord", "write", "writeWord", "compareAndExchange",
            "getAndAdd", "getAndSet", "getAndBitwiseOr", "flush", "complete");
    private static final Set<String> ACCESSES = Set.of("get", "getAcquire", "getVolatile", "set", "setRelease",
            "setVolatile", "compareAndExchange", "getAndAdd", "getAndSet", "getAndBitwiseOr");

    /**
     * The actions of the listener. An action may throw; the caller then gets this error instead of the answer of the
     * verb.
     */
    public interface Interposed {

        void before(String verb);

        void after(String verb);
    }

    private InterposedFabric() {}

    public static Fabric around(Fabric fabric, Interposed interposed) {
        return around(Fabric.class, fabric, VERBS, (method, answer) -> answer, interposed);
    }

    /**
     * Also interposes the listener before each access to the process's own memory. The listener does not act after an
     * access, because an access by the CPU that throws has not been done.
     *
     * @param clock replaces the fabric's clock, since the clock of a simulation stands still outside of a run
     */
    public static Fabric aroundAll(Fabric fabric, Clock clock, Interposed interposed) {
        return around(Fabric.class, fabric, VERBS, (method, answer) -> switch (method) {
            case "local" -> around(LocalMemory.class, (LocalMemory) answer, ACCESSES, (_, same) -> same,
                    onlyBefore(interposed));
            case "clock" -> clock;
            default -> answer;
        }, interposed);
    }

    private static Interposed onlyBefore(Interposed interposed) {
        return new Interposed() {

            @Override
            public void before(String access) {
                interposed.before(access);
            }

            @Override
            public void after(String access) {}
        };
    }

    private static <T> T around(Class<T> type, T target, Set<String> methods,
            BiFunction<String, Object, Object> others, Interposed interposed) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type},
                (proxy, method, arguments) -> invoke(target, method, arguments, methods, others, interposed)));
    }

    private static Object invoke(Object target, Method method, Object[] arguments, Set<String> methods,
            BiFunction<String, Object, Object> others, Interposed interposed) throws Throwable {
        if (!methods.contains(method.getName())) {
            Object answer = call(target, method, arguments);
            return answer instanceof Batch batch
                    ? around(Batch.class, batch, VERBS, (_, same) -> same, interposed)
                    : others.apply(method.getName(), answer);
        }
        interposed.before(method.getName());
        Object answer = call(target, method, arguments);
        interposed.after(method.getName());
        return answer;
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failure) {
            throw failure.getCause();
        }
    }
}
