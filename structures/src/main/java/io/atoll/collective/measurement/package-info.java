/** What sending costs on the fabric at hand, found by sending. */
@NullMarked
package io.atoll.collective.measurement;

import org.jspecify.annotations.NullMarked;
