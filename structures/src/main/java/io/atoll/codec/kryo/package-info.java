/** Objects of any allowed class, and of no other class, in bytes. It is the only package that knows Kryo. */
@NullMarked
package io.atoll.codec.kryo;

import org.jspecify.annotations.NullMarked;
