/** What was retired and waits to be freed: bags in lists by epoch, and how whole groups of them are handed back to the owners of their objects. */
@NullMarked
package io.atoll.epoch.limbo;

import org.jspecify.annotations.NullMarked;
