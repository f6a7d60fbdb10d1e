/** What libibverbs makes and destroys, as DiSNI's objects that know their C pointer: devices, protection domains, memory regions, queues. */
@NullMarked
package io.atoll.fabric.verbs.provider.resource;

import org.jspecify.annotations.NullMarked;
