/**
 * Promises of callers about operations that run at the same time as theirs, and the watch that finds broken promises.
 */
@NullMarked
package io.atoll.promise;

import org.jspecify.annotations.NullMarked;
