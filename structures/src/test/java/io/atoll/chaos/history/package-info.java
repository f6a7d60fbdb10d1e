/** What processes write down of what they do, so that it survives them. */
@NullMarked
package io.atoll.chaos.history;

import org.jspecify.annotations.NullMarked;
