/** What members of a team do together: broadcasts that only the root calls, and exchanges that all call. */
@NullMarked
package io.atoll.collective;

import org.jspecify.annotations.NullMarked;
