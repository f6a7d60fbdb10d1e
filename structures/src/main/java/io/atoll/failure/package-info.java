/** What can go wrong: every unchecked exception that Atoll itself throws, for all packages above. */
@NullMarked
package io.atoll.failure;

import org.jspecify.annotations.NullMarked;
