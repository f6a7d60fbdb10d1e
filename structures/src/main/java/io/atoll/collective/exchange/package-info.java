/** What all members of a team call: barriers, reductions, gathering and scattering. */
@NullMarked
package io.atoll.collective.exchange;

import org.jspecify.annotations.NullMarked;
