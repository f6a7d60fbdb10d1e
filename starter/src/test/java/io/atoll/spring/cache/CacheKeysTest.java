package io.atoll.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.cache.interceptor.SimpleKeyGenerator;

class CacheKeysTest {

    record Place(String country, int number) {}

    private static String bytes(Object key) {
        return Arrays.toString(CacheKeys.encode("books", key));
    }

    @Test
    void equalKeysHaveEqualBytes() {
        assertThat(bytes(new String("a"))).isEqualTo(bytes("a"));
        assertThat(bytes(new Place("CH", 1))).isEqualTo(bytes(new Place("CH", 1)));
        assertThat(bytes(new SimpleKey("a", 1, null))).isEqualTo(bytes(new SimpleKey("a", 1, null)));
        assertThat(bytes(List.of(1, 2))).isEqualTo(bytes(new ArrayList<>(List.of(1, 2))));
        assertThat(bytes(SimpleKeyGenerator.generateKey("a", "b"))).isEqualTo(bytes(new SimpleKey("a", "b")));
    }

    @Test
    void unequalKeysHaveUnequalBytes() {
        List<Object> keys = List.of("1", 1, 1L, (short) 1, 1.0, "", '1', new UUID(0, 1), TimeUnit.DAYS,
                new Place("CH", 1), new Place("CH", 2), SimpleKey.EMPTY, new SimpleKey("a, b", "c"),
                new SimpleKey("a", "b, c"), new SimpleKey("a", null), new SimpleKey("a", ""),
                List.of(List.of(1), 2), List.of(1, List.of(2)), List.of(1, 2));
        Set<String> all = new HashSet<>();
        assertThat(keys).allSatisfy(key -> assertThat(all.add(bytes(key))).as(key.toString()).isTrue());
    }

    @Test
    void whatHasNoBytesOfItsOwnIsNoKey() {
        assertThatIllegalArgumentException().isThrownBy(() -> bytes(new SimpleKey("a", new Object())))
                .withMessageEndingWith("cache=books class=java.lang.Object");
    }
}
