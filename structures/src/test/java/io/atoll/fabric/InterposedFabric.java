package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;

/**
 * Puts a listener between a process and its fabric. The listener may act before and after each verb. If the test asks
 * for it, the listener may also act before each access of the CPU.
 */
public class InterposedFabric extends ForwardingFabric {

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

    private final Interposed interposed;

    private InterposedFabric(Fabric wrapped, Interposed interposed) {
        super(wrapped);
        this.interposed = interposed;
    }

    public static Fabric around(Fabric fabric, Interposed interposed) {
        return new InterposedFabric(fabric, interposed);
    }

    /**
     * Also interposes the listener before each access to the process's own memory. The listener does not act after an
     * access, because an access by the CPU that throws has not been done.
     *
     * @param clock replaces the fabric's clock, since the clock of a simulation stands still outside of a run
     */
    public static Fabric aroundAll(Fabric fabric, Clock clock, Interposed interposed) {
        LocalMemory local = beforeAccesses(fabric.local(), interposed);
        return new InterposedFabric(fabric, interposed) {

            @Override
            public LocalMemory local() {
                return local;
            }

            @Override
            public Clock clock() {
                return clock;
            }
        };
    }

    private static LocalMemory beforeAccesses(LocalMemory memory, Interposed interposed) {
        return (LocalMemory) Proxy.newProxyInstance(LocalMemory.class.getClassLoader(),
                new Class<?>[]{LocalMemory.class}, (_, method, arguments) -> {
                    if (ACCESSES.contains(method.getName())) {
                        interposed.before(method.getName());
                    }
                    try {
                        return method.invoke(memory, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    @Override
    protected long before(Verb verb, int target, long offset, long bytes) {
        interposed.before(verb.methodName());
        return 0;
    }

    @Override
    protected void after(Verb verb, int target, long offset, long bytes, long begun) {
        interposed.after(verb.methodName());
    }

    /** Returns false: the listener acts once for each verb that the caller uses. */
    @Override
    protected boolean composes() {
        return false;
    }

    @Override
    public Batch batch() {
        return new InterposedBatch(wrapped().batch(), interposed);
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return new InterposedBatch(wrapped().newBatch(bufferBytes), interposed);
    }

    private static final class InterposedBatch extends ForwardingBatch {

        private final Interposed interposed;

        InterposedBatch(Batch wrapped, Interposed interposed) {
            super(wrapped);
            this.interposed = interposed;
        }

        @Override
        protected void before(Verb verb, int target, long offset, long bytes) {
            interposed.before(verb.methodName());
        }

        @Override
        protected void after(Verb verb, int target, long offset, long bytes) {
            interposed.after(verb.methodName());
        }

        @Override
        public void complete() {
            interposed.before("complete");
            super.complete();
            interposed.after("complete");
        }
    }
}
