/** Epoch-based reclamation for the threads of one process, without a world. */
@NullMarked
package io.atoll.epoch.local;

import org.jspecify.annotations.NullMarked;
