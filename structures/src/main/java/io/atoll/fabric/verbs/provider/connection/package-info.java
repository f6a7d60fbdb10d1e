/** Librdmacm's side: identifiers that connect, the channels that their events arrive on, and the events, as DiSNI's objects. */
@NullMarked
package io.atoll.fabric.verbs.provider.connection;

import org.jspecify.annotations.NullMarked;
