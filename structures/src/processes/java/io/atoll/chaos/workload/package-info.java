/** The workloads of each process, one for each kind of structure. */
@NullMarked
package io.atoll.chaos.workload;

import org.jspecify.annotations.NullMarked;
