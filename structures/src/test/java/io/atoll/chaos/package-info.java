/**
 * Real processes that use all structures at once while a coordinator kills, pauses and restarts them, and judges what
 * they wrote down.
 */
@NullMarked
package io.atoll.chaos;

import org.jspecify.annotations.NullMarked;
