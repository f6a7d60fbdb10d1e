/** What locks and requests for them look like in a segment, word by word. */
@NullMarked
package io.atoll.lock.words;

import org.jspecify.annotations.NullMarked;
