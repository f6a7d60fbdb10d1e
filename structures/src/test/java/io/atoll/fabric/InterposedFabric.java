package io.atoll.fabric;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;

/** Somebody stands between a process and its fabric, and may do something before each verb of it, and after. */
public final class InterposedFabric {

    private static final Set<String> VERBS = Set.of("read", "readWord", "write", "writeWord", "compareAndExchange",
            "getAndAdd", "getAndSet", "getAndBitwiseOr", "flush", "complete");

    /** What is done, and may throw what the caller is to be told instead of the verb's answer. */
    public interface Interposed {

        void before(String verb);

        void after(String verb);
    }

    private InterposedFabric() {}

    public static Fabric around(Fabric fabric, Interposed interposed) {
        return around(Fabric.class, fabric, interposed);
    }

    private static <T> T around(Class<T> type, T target, Interposed interposed) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type},
                (proxy, method, arguments) -> invoke(target, method, arguments, interposed)));
    }

    private static Object invoke(Object target, Method method, Object[] arguments, Interposed interposed)
            throws Throwable {
        if (!VERBS.contains(method.getName())) {
            Object answer = call(target, method, arguments);
            return answer instanceof Batch batch ? around(Batch.class, batch, interposed) : answer;
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
