/**
 * Fabrics around a fabric: they record verbs ({@code RecordingFabric}), count them ({@code MeteredFabric}) or delay
 * them as a slower network would ({@code DelayedFabric}).
 */
@NullMarked
package io.atoll.fabric.trace;

import org.jspecify.annotations.NullMarked;
