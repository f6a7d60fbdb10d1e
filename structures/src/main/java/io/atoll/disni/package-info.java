/** Librdmacm's side: identifiers that connect, the channels that their events arrive on, and the events, as DiSNI's objects. */
@NullMarked
package io.atoll.disni;

import org.jspecify.annotations.NullMarked;
