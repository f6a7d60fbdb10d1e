/** The C side as Java sees it: libraries, their functions, how those fail, and the few calls of libc that waiting on devices takes. */
@NullMarked
package io.atoll.fabric.verbs.provider.foreign;

import org.jspecify.annotations.NullMarked;
