/** The raw loops beside the structures: the same words, reached by verbs or the CPU, and nothing that a structure adds. */
@NullMarked
package io.atoll.app.bench.raw;

import org.jspecify.annotations.NullMarked;
