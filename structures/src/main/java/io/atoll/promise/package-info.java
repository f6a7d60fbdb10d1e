/** What callers promise of the operations that run at the same time as theirs, and how a promise that is broken is found. */
@NullMarked
package io.atoll.promise;

import org.jspecify.annotations.NullMarked;
