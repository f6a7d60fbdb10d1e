/** Requests for locks, the descriptors by which others know of them, and what is done for those that have gone. */
@NullMarked
package io.atoll.lock.request;

import org.jspecify.annotations.NullMarked;
