/** Promises that are kept watch over: what callers say of the operations that run at the same time as theirs. */
@NullMarked
package io.atoll.promise;

import org.jspecify.annotations.NullMarked;
