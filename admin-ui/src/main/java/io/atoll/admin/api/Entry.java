package io.atoll.admin.api;

import org.jspecify.annotations.Nullable;

/**
 * What a structure has under a key.
 *
 * @param key as text
 * @param found whether it has anything
 * @param value as text; null if it has nothing
 */
record Entry(String key, boolean found, @Nullable String value) {}
