/** What libibverbs knows of devices: their list, one that is open, what it can do, its operations on the data path, and why there is none. */
@NullMarked
package io.atoll.fabric.verbs.provider.device;

import org.jspecify.annotations.NullMarked;
