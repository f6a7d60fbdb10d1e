/**
 * Asynchronous operations: many are under way at a time, without a thread for each. Begin with {@link
 * io.atoll.completion.Completions}, then {@link io.atoll.completion.Operation}, then {@link
 * io.atoll.completion.Round}.
 */
@NullMarked
package io.atoll.completion;

import org.jspecify.annotations.NullMarked;
