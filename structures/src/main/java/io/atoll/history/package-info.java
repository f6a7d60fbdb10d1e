/**
 * What a rank remembers of its last minutes, in its own segment: {@link io.atoll.history.Recorder} writes it, a point a
 * second and what has happened, and any rank reads it by {@link io.atoll.history.HistoryReader}.
 */
@NullMarked
package io.atoll.history;

import org.jspecify.annotations.NullMarked;
