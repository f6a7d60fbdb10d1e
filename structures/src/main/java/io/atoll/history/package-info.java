/**
 * What a rank remembers of its last minutes, in its own segment. {@link io.atoll.history.Recorder} writes a point a
 * second and the events. Any rank reads them by {@link io.atoll.history.HistoryReader}.
 */
@NullMarked
package io.atoll.history;

import org.jspecify.annotations.NullMarked;
