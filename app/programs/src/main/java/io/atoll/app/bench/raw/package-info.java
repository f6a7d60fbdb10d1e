/**
 * The raw loops beside the structures. They reach the same words by verbs or by the CPU, and do nothing that a
 * structure adds.
 */
@NullMarked
package io.atoll.app.bench.raw;

import org.jspecify.annotations.NullMarked;
