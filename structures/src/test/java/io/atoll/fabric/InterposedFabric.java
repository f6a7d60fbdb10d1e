package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.BiFunction;

/** Somebody stands between a process and its fabric, and may do something before each verb of it, and after; before each access of its CPU, too, where that is asked for. */
public final class InterposedFabric {

    private static final Set<String> VERBS = Set.of("read", "readWord", "write", "writeWord", "compareAndExchange",
            "getAndAdd", "getAndSet", "getAndBitwiseOr", "flush", "complete");
    private static final Set<String> ACCESSES = Set.of("get", "getAcquire", "getVolatile", "set", "setRelease",
            "setVolatile", "compareAndExchange", "getAndAdd", "getAndSet", "getAndBitwiseOr");

    /** What is done, and may throw what the caller is to be told instead of the verb's answer. */
    public interface Interposed {

        void before(String verb);

        void after(String verb);
    }

    private InterposedFabric() {}

    public static Fabric around(Fabric fabric, Interposed interposed) {
        return around(Fabric.class, fabric, VERBS, (method, answer) -> answer, interposed);
    }

    /** Around the process's own memory, too: before each access, since one by the CPU that throws has not been done. With that clock: the one of a simulation stands still outside of a run. */
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
