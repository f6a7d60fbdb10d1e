/**
 * Counting the verbs of a process that cross the fabric. Loads and stores of mapped memory are no verbs, and take what
 * they take without.
 */
@NullMarked
package io.atoll.fabric.metering;

import org.jspecify.annotations.NullMarked;
