/**
 * Asynchronous operations: many are under way at a time, without a thread for each. Read first {@link
 * io.atoll.completion.Completions}, then {@link io.atoll.completion.Operation} and {@code Round}. A
 * {@link io.atoll.completion.Combiner} lets one {@link io.atoll.completion.CombinedOperation} carry out several
 * {@link io.atoll.completion.Request}s.
 */
@NullMarked
package io.atoll.completion;

import org.jspecify.annotations.NullMarked;
