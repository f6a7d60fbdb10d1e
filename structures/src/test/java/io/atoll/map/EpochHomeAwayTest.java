package io.atoll.map;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All keys of the maps are at the rank that stays. The rank that counts the world's epochs is away. */
@Timeout(400)
@Tag("slow")
class EpochHomeAwayTest {

    private static final int KEYS = 20_000;

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @BeforeEach
    void open() {
        for (int rank = 0; rank < 2; rank++) {
            worlds.add(World.named("away")
                    .size(2)
                    .rank(rank)
                    .segment(32 << 20)
                    .fabric(Fabrics.sharedMemory(folder, true))
                    .keySeed(FixedHash.SEED)
                    .open());
        }
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private void leaveOneAlone() {
        worlds.getFirst().close();
        await().until(() -> worlds.get(1).peers().missing().contains(0));
    }

    private static List<Long> numbers() {
        return LongStream.iterate(1, number -> number + 1)
                .filter(number -> KeyHash.rank(FixedHash.of(number), 2) == 1)
                .limit(KEYS)
                .boxed()
                .toList();
    }

    private static List<String> texts() {
        return IntStream.iterate(1, number -> number + 1)
                .mapToObj(number -> "key " + number)
                .filter(text -> KeyHash.rank(FixedHash.of(text.getBytes(UTF_8)), 2) == 1)
                .limit(KEYS / 10)
                .toList();
    }

    @Test
    void aMapOfLongsGrows() {
        LongLongMap map = worlds.get(1).longMap("longs").capacity(1).open();
        List<Long> keys = numbers();
        map.putIfAbsent(keys.getFirst(), 1);
        leaveOneAlone();
        keys.forEach(key -> map.put(key, -key));
        keys.forEach(key -> assertThat(map.getOrDefault(key, 0)).isEqualTo(-key));
    }

    @Test
    void valuesOfAnySizeAreReplaced() {
        DistributedMap<String, String> map = worlds.get(1).map("texts", String.class, String.class).capacity(1).open();
        List<String> keys = texts();
        map.putIfAbsent(keys.getFirst(), "first");
        leaveOneAlone();
        for (String value : List.of("one", "two")) {
            keys.forEach(key -> map.put(key, value));
            keys.forEach(key -> assertThat(map.get(key)).isEqualTo(value));
        }
    }
}
