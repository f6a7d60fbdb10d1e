/** What broadcasts look like in a segment, word by word, and how members ask each other to pass on. */
@NullMarked
package io.atoll.collective.broadcast.words;

import org.jspecify.annotations.NullMarked;
