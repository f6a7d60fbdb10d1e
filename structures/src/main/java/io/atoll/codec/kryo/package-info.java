/** Objects of any class that is allowed, and no others, in bytes. The only package that knows Kryo. */
@NullMarked
package io.atoll.codec.kryo;

import org.jspecify.annotations.NullMarked;
