package io.atoll.app.demo;

import io.atoll.World;
import io.atoll.map.DistributedMap;
import java.util.random.RandomGenerator;

/**
 * Places orders, changes them, and removes about as many as it places. Replaced and removed values are retired, since
 * orders contain texts.
 */
final class ObjectMapLoad implements Load {

    private static final int ORDERS = 1_024;
    private static final int PLACED = 3;

    /** The order of a customer. */
    record Order(long customer, int items, String text) {}

    private final DistributedMap<Long, Order> orders;

    ObjectMapLoad(World world) {
        this.orders = open(world);
    }

    static DistributedMap<Long, Order> open(World world) {
        return world.map("demo-orders", Long.class, Order.class).capacity(ORDERS).openLazily();
    }

    @Override
    public void step(RandomGenerator random) {
        for (int placed = 0; placed < PLACED; placed++) {
            long number = random.nextInt(ORDERS);
            orders.put(number, new Order(random.nextInt(100), 1 + random.nextInt(9), "order " + number));
            orders.get((long) random.nextInt(ORDERS));
            orders.remove((long) random.nextInt(ORDERS));
        }
    }
}
