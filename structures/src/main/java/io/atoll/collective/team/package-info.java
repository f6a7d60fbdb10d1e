/** Who takes part in a collective, and the tree along which data goes from one to all. */
@NullMarked
package io.atoll.collective.team;

import org.jspecify.annotations.NullMarked;
