package io.atoll.spring.autoconfigure.structure;

import java.util.UUID;

/** A value as applications have it. */
public record Order(long id, UUID customer, int cents) {}
