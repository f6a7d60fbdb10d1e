/** What a block of buckets looks like in a segment, where in it a key is looked for first, and what can be told from it by those who look on. */
@NullMarked
package io.atoll.map.block;

import org.jspecify.annotations.NullMarked;
