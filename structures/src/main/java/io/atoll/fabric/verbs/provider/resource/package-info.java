/** What libibverbs makes on a device and destroys, as DiSNI's objects that know their C pointer: protection domains, memory regions, queues. */
@NullMarked
package io.atoll.fabric.verbs.provider.resource;

import org.jspecify.annotations.NullMarked;
