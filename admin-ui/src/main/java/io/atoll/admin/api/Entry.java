package io.atoll.admin.api;

import org.jspecify.annotations.Nullable;

/**
 * The value that a structure has for a key.
 *
 * @param key as text
 * @param found true if the structure has a value for the key
 * @param value as text; null if there is none
 */
record Entry(String key, boolean found, @Nullable String value) {}
