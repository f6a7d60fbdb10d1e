/** Records of processes about their operations, which survive the processes. */
@NullMarked
package io.atoll.chaos.history;

import org.jspecify.annotations.NullMarked;
