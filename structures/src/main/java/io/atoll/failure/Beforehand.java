package io.atoll.failure;

/** Prepares what steps need that must not fail, while there is memory and stack for it. */
public final class Beforehand {

    private Beforehand() {}

    /**
     * Initializes the classes. A class whose initialization fails once, for lack of memory or stack, can never be used
     * again.
     */
    public static void initialize(Class<?>... used) {
        for (Class<?> each : used) {
            try {
                Class.forName(each.getName(), true, each.getClassLoader());
            } catch (ClassNotFoundException impossible) {
                throw new AssertionError(each.getName(), impossible);
            }
        }
    }
}
