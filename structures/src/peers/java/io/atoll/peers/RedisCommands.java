package io.atoll.peers;

import java.io.IOException;

/** Does with commands of Redis what Atoll does: it takes longs, and returns longs. */
final class RedisCommands implements Subject {

    private static final String LIST = "longs";
    // Keys of other clients are text, so they have other bytes.
    private static final String COUNTER = "long-counter-";
    private static final long ABSENT = -1;

    private static final byte[] GET = BareRedis.command(2, "GET");
    private static final byte[] SET = BareRedis.command(3, "SET");
    private static final byte[] DELETE = BareRedis.command(2, "DEL");
    private static final byte[] PUSH = BareRedis.command(3, "LPUSH", LIST);
    private static final byte[] POP = BareRedis.command(2, "RPOP", LIST);

    private final BareRedis redis;
    private final Keys keys = new Keys(_ -> true);

    RedisCommands(BareRedis redis) throws IOException {
        this.redis = redis;
        for (int each = 0; each < Keys.KEPT; each++) {
            set(keys.kept(each), 7);
        }
    }

    private void set(long key, long value) throws IOException {
        addSet(key, value);
        redis.send();
        redis.obeyed();
    }

    private void addSet(long key, long value) {
        redis.begin(SET);
        redis.add(key);
        redis.add(value);
    }

    @Override
    public Rounds.Operation operation(Work work) {
        return switch (work) {
            case GET -> index -> {
                redis.begin(GET);
                redis.add(keys.kept(index));
                redis.send();
                Subject.require(redis.value(ABSENT) != ABSENT);
            };
            case INSERT -> index -> set(keys.passing(index), index);
            case PUT -> index -> set(keys.kept(index), index);
            case INCREMENT -> increment();
            case REMOVE -> index -> {
                redis.begin(DELETE);
                redis.add(keys.passing(index));
                redis.send();
                Subject.require(redis.number(':') == 1);
            };
            case PUSH -> index -> {
                redis.begin(PUSH);
                redis.add(index);
                redis.send();
                Subject.require(redis.number(':') > 0);
            };
            case POP -> index -> {
                redis.begin(POP);
                redis.send();
                Subject.require(redis.value(ABSENT) == index);
            };
            case GET_ALL_16, GET_ALL_256 -> getAll(work.keys());
            case PUT_ALL_16, PUT_ALL_256 -> keys.groups(work.keys(), this::putAll);
        };
    }

    /** Adds to counters, which Redis keeps as text. */
    private Rounds.Operation increment() {
        byte[][] commands = new byte[Keys.A_TURN][];
        for (int each = 0; each < commands.length; each++) {
            commands[each] = BareRedis.command(2, "INCR", COUNTER + each);
        }
        return index -> {
            redis.begin(commands[index % commands.length]);
            redis.send();
            Subject.require(redis.number(':') > 0);
        };
    }

    private Rounds.Operation getAll(int size) {
        byte[] command = BareRedis.command(1 + size, "MGET");
        return keys.groups(size, (group, _) -> {
            long[] values = values(command, group);
            Subject.require(values[values.length - 1] != ABSENT);
        });
    }

    private long[] values(byte[] command, long[] group) throws IOException {
        redis.begin(command);
        for (long key : group) {
            redis.add(key);
        }
        redis.send();
        long[] values = new long[group.length];
        Subject.require(redis.number('*') == values.length);
        for (int each = 0; each < values.length; each++) {
            values[each] = redis.value(ABSENT);
        }
        return values;
    }

    private void putAll(long[] group, long value) throws IOException {
        for (long key : group) {
            addSet(key, value);
        }
        redis.send();
        for (int each = 0; each < group.length; each++) {
            redis.obeyed();
        }
    }
}
