/** What circular queues look like in a segment, word by word, and what can be told from it by those who look on. */
@NullMarked
package io.atoll.queue.words;

import org.jspecify.annotations.NullMarked;
