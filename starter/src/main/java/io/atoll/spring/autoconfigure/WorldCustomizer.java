package io.atoll.spring.autoconfigure;

import io.atoll.World;
import io.atoll.WorldBuilder;

/**
 * Changes the settings of the world last, right before it is opened. Several customizers are applied in their order.
 */
@FunctionalInterface
public interface WorldCustomizer {

    void customize(WorldBuilder world);
}
