package io.atoll.peers;

/**
 * The operations that are compared. Keys, values and elements have eight bytes each and lie in another process. One
 * thread calls, and waits for each answer.
 */
enum Work {
    GET("get", 1, 1, 4), INSERT("putIfAbsent of a new key", 1, 1, 4), PUT("put of a key that is there", 1, 1,
            4), INCREMENT("increment", 1, 1, 4), REMOVE("remove", 1, 1, 4), PUSH("push", 1, 1, 4), POP("pop", 1, 1,
                    4), GET_ALL_16("getAll of 16", 16, 1.5,
                            10), GET_ALL_256("getAll of 256", 256, 3, 10), PUT_ALL_16("putAll of 16", 16, 1,
                                    5), PUT_ALL_256("putAll of 256", 256, 1, 5);

    private final String text;
    private final int keys;
    private final double leastOfRedis;
    private final double leastOfHazelcast;

    Work(String text, int keys, double leastOfRedis, double leastOfHazelcast) {
        this.text = text;
        this.keys = keys;
        this.leastOfRedis = leastOfRedis;
        this.leastOfHazelcast = leastOfHazelcast;
    }

    /** Returns how many keys one operation concerns. */
    int keys() {
        return keys;
    }

    /** Returns how many operations a turn has: one for each key that passes, and fewer of those that concern many. */
    int operations() {
        return Keys.A_TURN / (int) Math.sqrt(keys);
    }

    /** Returns the target: how many times as long Redis is to take. */
    double leastOfRedis() {
        return leastOfRedis;
    }

    /** Returns the target: how many times as long Hazelcast is to take. */
    double leastOfHazelcast() {
        return leastOfHazelcast;
    }

    @Override
    public String toString() {
        return text;
    }
}
