package io.atoll.autoconfigure;

import io.atoll.World;

/** Has the last word on the world before it is opened. Several are applied in their order. */
@FunctionalInterface
public interface WorldCustomizer {

    void customize(World.Builder world);
}
