/**
 * Words that refer to objects anywhere in the world, or in this process. They change atomically, with and without
 * protection from ABA.
 */
@NullMarked
package io.atoll.atomic;

import org.jspecify.annotations.NullMarked;
