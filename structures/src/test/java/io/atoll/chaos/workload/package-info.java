/** What each process does with the structures, one workload for each kind. */
@NullMarked
package io.atoll.chaos.workload;

import org.jspecify.annotations.NullMarked;
