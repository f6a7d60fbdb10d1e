package io.atoll.peers;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Does with the client of Spring Data Redis what Atoll does. Keys and values are longs of eight bytes. */
final class LettuceRedis implements Subject, AutoCloseable {

    // Keys of other clients begin with other bytes.
    private static final long FIRST_KEY = 1L << 32;
    private static final long FIRST_COUNTER = 1L << 33;
    private static final long LIST = 1L << 34;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final RedisClient client;
    private final StatefulRedisConnection<Long, Long> connection;
    private final RedisCommands<Long, Long> redis;
    private final Keys keys = new Keys(key -> key >= 0, FIRST_KEY);

    LettuceRedis(int port) {
        this.client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        this.connection = client.connect(new LongCodec());
        this.redis = connection.sync();
        keys.keptInParts(this::putAll);
    }

    private static final class LongCodec implements RedisCodec<Long, Long> {

        @Override
        public Long decodeKey(ByteBuffer bytes) {
            return bytes.getLong();
        }

        @Override
        public Long decodeValue(ByteBuffer bytes) {
            return bytes.getLong();
        }

        @Override
        public ByteBuffer encodeKey(Long key) {
            return ByteBuffer.allocate(Long.BYTES).putLong(key).flip();
        }

        @Override
        public ByteBuffer encodeValue(Long value) {
            return encodeKey(value);
        }
    }

    @Override
    public Rounds.Operation operation(Work work) {
        return switch (work) {
            case GET -> index -> Subject.require(redis.get(keys.kept(index)) != null);
            case INSERT -> index -> redis.set(keys.passing(index), (long) index);
            case PUT -> index -> redis.set(keys.kept(index), (long) index);
            case INCREMENT -> index -> Subject.require(redis.incr(FIRST_COUNTER + index % Keys.A_TURN) > 0);
            case REMOVE -> index -> Subject.require(redis.del(keys.passing(index)) == 1);
            case PUSH -> index -> Subject.require(redis.lpush(LIST, (long) index) > 0);
            case POP -> index -> Subject.require(Objects.equals(redis.rpop(LIST), (long) index));
            case GET_ALL_16, GET_ALL_256 -> keys.getAll(work, this::getAll);
            case PUT_ALL_16, PUT_ALL_256 -> keys.putAll(work, this::putAll);
        };
    }

    private Map<Long, Long> getAll(Set<Long> group) {
        Map<Long, Long> found = LinkedHashMap.newLinkedHashMap(group.size());
        redis.mget(group.toArray(Long[]::new)).forEach(each -> found.put(each.getKey(), each.getValue()));
        return found;
    }

    private void putAll(Map<Long, Long> entries) {
        RedisAsyncCommands<Long, Long> pipeline = connection.async();
        connection.setAutoFlushCommands(false);
        try {
            RedisFuture<?>[] answers = entries.entrySet()
                    .stream()
                    .map(entry -> pipeline.set(entry.getKey(), entry.getValue()))
                    .toArray(RedisFuture[]::new);
            connection.flushCommands();
            Subject.require(LettuceFutures.awaitAll(TIMEOUT, answers));
        } finally {
            connection.setAutoFlushCommands(true);
        }
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
