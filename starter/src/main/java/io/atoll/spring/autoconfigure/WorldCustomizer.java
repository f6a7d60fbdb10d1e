package io.atoll.spring.autoconfigure;

import io.atoll.World;
import io.atoll.WorldBuilder;

/** Has the last word on the world before it is opened. Several are applied in their order. */
@FunctionalInterface
public interface WorldCustomizer {

    void customize(WorldBuilder world);
}
