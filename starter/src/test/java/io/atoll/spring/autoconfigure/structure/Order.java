package io.atoll.spring.autoconfigure.structure;

import java.util.UUID;

/** A value as an application has it. */
public record Order(long id, UUID customer, int cents) {}
