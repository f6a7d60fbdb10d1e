/** What a broadcast should take: Paznikov's formulas in the models LogP and LogGP, a simulation that goes beyond them, and which algorithm is the faster one. */
@NullMarked
package io.atoll.collective.model;

import org.jspecify.annotations.NullMarked;
