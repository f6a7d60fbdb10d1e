/** How reclamation stands, for those who look on: read from the segments, disturbing nobody. */
@NullMarked
package io.atoll.epoch.observation;

import org.jspecify.annotations.NullMarked;
