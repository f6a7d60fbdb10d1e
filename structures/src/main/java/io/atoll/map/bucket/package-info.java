/** What a bucket looks like, and how entries are found and read without waiting for anybody: one, several of a rank at once, or all of a rank. */
@NullMarked
package io.atoll.map.bucket;

import org.jspecify.annotations.NullMarked;
