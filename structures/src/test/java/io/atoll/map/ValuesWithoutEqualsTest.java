package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.atoll.World;
import io.atoll.codec.VariableCodecs;
import io.atoll.codec.kryo.AllowedClasses;
import io.atoll.codec.kryo.ObjectCodec;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each look at a value makes another object of it. Views of a map must not take this for a change. */
@Timeout(120)
class ValuesWithoutEqualsTest {

    static final class Cart {
        final int items;
        final Map<String, Integer> prices = new HashMap<>();

        Cart(int items) {
            this.items = items;
            // These two keys have the same hash. Their order depends on which was put first, and on how large the table
            // once was.
            prices.put("Aa", items);
            prices.put("BB", items);
            for (int price = 0; price < 100; price++) {
                prices.put("price " + price, price);
            }
            prices.keySet().removeIf(name -> name.endsWith("7"));
        }
    }

    private final World world = World.named("carts").size(1).segment(8 << 20).open();
    private ConcurrentMap<String, Cart> carts;

    @BeforeEach
    void fill() {
        carts = DistributedMap
                .builder("carts", VariableCodecs.forType(String.class),
                        ObjectCodec.of(Cart.class, AllowedClasses.common()), world::participant, world.epochs())
                .capacity(100)
                .open()
                .asConcurrentMap();
        for (int items = 0; items < 10; items++) {
            carts.put("cart " + items, new Cart(items));
        }
    }

    @AfterEach
    void leave() {
        world.close();
    }

    @Test
    void thoseThatAreUnwantedAreRemoved() {
        assertThat(carts.values().removeIf(cart -> cart.items < 3)).isTrue();
        assertThat(carts.entrySet().removeIf(entry -> entry.getValue().items > 7)).isTrue();
        assertThat(carts.values()).extracting(cart -> cart.items).containsExactlyInAnyOrder(3, 4, 5, 6, 7);
    }

    @Test
    void aValueThatIsUnchangedIsReplaced() {
        Cart seven = carts.get("cart 7");
        assertThat(carts.replace("cart 7", new Cart(8), new Cart(9))).isFalse();
        assertThat(carts.replace("cart 7", seven, new Cart(9))).isTrue();
        assertThat(carts.remove("cart 7", seven)).isFalse();
        assertThat(carts.remove("cart 7", new Cart(9))).isTrue();
    }

    @Test
    void allOfThemAreReplaced() {
        carts.replaceAll((name, cart) -> new Cart(cart.items + 1));
        assertThat(carts.values()).extracting(cart -> cart.items)
                .containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
        assertThatNullPointerException().isThrownBy(() -> carts.replaceAll((name, cart) -> null));
        assertThat(carts).hasSize(10);
    }
}
