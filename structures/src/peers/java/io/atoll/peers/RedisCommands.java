package io.atoll.peers;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Does with bare commands of Redis what Atoll does. All requests are made before. */
final class RedisCommands implements Subject {

    private static final String LIST = "elements";
    private static final String VALUE = text(7);
    private static final int OK_BYTES = "+OK\r\n".length();
    private static final int ONE_BYTES = ":1\r\n".length();
    private static final int VALUE_BYTES = "$8\r\n".length() + VALUE.length() + "\r\n".length();
    // Counters have as many digits as values.
    private static final String FIRST_COUNT = "10000000";
    private static final int COUNT_BYTES = ":".length() + FIRST_COUNT.length() + "\r\n".length();

    private final BareRedis redis;
    private final Keys keys = new Keys(_ -> true);

    RedisCommands(BareRedis redis) throws IOException {
        this.redis = redis;
        for (int each = 0; each < Keys.KEPT; each++) {
            set(text(keys.kept(each)), VALUE);
            set(counter(each), FIRST_COUNT);
        }
    }

    private void set(String key, String value) throws IOException {
        redis.ask(new BareRedis.Requests(List.of(BareRedis.request("SET", key, value))), 0, OK_BYTES);
    }

    /** Returns eight digits. */
    private static String text(long key) {
        return "%08d".formatted(key);
    }

    private static String counter(int index) {
        return "n%07d".formatted(index);
    }

    @Override
    public Rounds.Operation operation(Work work) {
        return switch (work) {
            case GET -> repeated(kept(key -> BareRedis.request("GET", key)), VALUE_BYTES);
            case INSERT -> repeated(passing(key -> BareRedis.request("SET", key, VALUE)), OK_BYTES);
            case PUT -> repeated(kept(key -> BareRedis.request("SET", key, VALUE)), OK_BYTES);
            case INCREMENT -> repeated(IntStream.range(0, Keys.KEPT)
                    .mapToObj(each -> BareRedis.request("INCR", counter(each)))
                    .toList(), COUNT_BYTES);
            case REMOVE -> repeated(passing(key -> BareRedis.request("DEL", key)), ONE_BYTES);
            case PUSH -> push(work.operations());
            case POP -> repeated(List.of(BareRedis.request("RPOP", LIST)), VALUE_BYTES);
            case GET_ALL_16, GET_ALL_256 -> repeated(groups(work, RedisCommands::getAll),
                    ("*" + work.keys() + "\r\n").length() + work.keys() * VALUE_BYTES);
            case PUT_ALL_16, PUT_ALL_256 -> repeated(groups(work, RedisCommands::putAll), work.keys() * OK_BYTES);
        };
    }

    /** Pushes to a list that is empty when a turn begins. The answers are its sizes. */
    private Rounds.Operation push(int operations) {
        BareRedis.Requests request = new BareRedis.Requests(List.of(BareRedis.request("LPUSH", LIST, VALUE)));
        int[] answerBytes = IntStream.rangeClosed(1, operations).map(size -> (":" + size + "\r\n").length()).toArray();
        return index -> redis.ask(request, 0, answerBytes[index % operations]);
    }

    private Rounds.Operation repeated(List<String> texts, int answerBytes) {
        BareRedis.Requests requests = new BareRedis.Requests(texts);
        return index -> redis.ask(requests, index % requests.size(), answerBytes);
    }

    private interface RequestOfKey {
        String of(String key);
    }

    private List<String> kept(RequestOfKey request) {
        return keys.kept().map(key -> request.of(text(key))).toList();
    }

    private List<String> passing(RequestOfKey request) {
        return IntStream.range(0, Keys.PASSING).mapToObj(each -> request.of(text(keys.passing(each)))).toList();
    }

    private interface RequestOfGroup {
        String of(List<String> keys);
    }

    private List<String> groups(Work work, RequestOfGroup request) {
        return keys.groups(work.keys())
                .stream()
                .map(group -> request.of(LongStream.of(group).mapToObj(RedisCommands::text).toList()))
                .toList();
    }

    private static String getAll(List<String> keys) {
        return BareRedis.request(Stream.concat(Stream.of("MGET"), keys.stream()).toArray(String[]::new));
    }

    private static String putAll(List<String> keys) {
        return String.join("", keys.stream().map(key -> BareRedis.request("SET", key, VALUE)).toList());
    }
}
