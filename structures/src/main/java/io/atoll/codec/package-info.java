/** How values lie in memory: what a codec is, how records are taken apart, and the hash of what is stored. */
@NullMarked
package io.atoll.codec;

import org.jspecify.annotations.NullMarked;
