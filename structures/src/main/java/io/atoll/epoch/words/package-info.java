/** What the parts of an epoch manager look like in a segment, word by word. */
@NullMarked
package io.atoll.epoch.words;

import org.jspecify.annotations.NullMarked;
