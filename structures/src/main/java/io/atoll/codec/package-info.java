/** How values lie in memory: codecs of fixed size, and the hash of what is stored. */
@NullMarked
package io.atoll.codec;

import org.jspecify.annotations.NullMarked;
