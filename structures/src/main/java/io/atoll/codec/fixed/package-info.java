/** Codecs of values whose size is fixed, made without a line of code of those who use them: what a type looks like in memory, and a class for each. */
@NullMarked
package io.atoll.codec.fixed;

import org.jspecify.annotations.NullMarked;
