/**
 * Real processes use all structures at once. A coordinator kills, pauses and restarts them, and judges what they wrote
 * down.
 */
@NullMarked
package io.atoll.chaos;

import org.jspecify.annotations.NullMarked;
